/**
 * Sends the refusals of the router, which no hook has delayed: one answer in each round of the event loop, and none to
 * clients that have left.
 */
import type { Socket } from 'node:net'

export function createAnswerRounds(): (socket: Socket, answer: () => void) => void {
  const answers = new Set<() => void>()
  let isPlanned = false

  function plan(): void {
    if (isPlanned || answers.size === 0) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      const [answer] = answers
      if (!answer) return
      answers.delete(answer)
      plan()
      answer()
    })
  }

  return (socket, answer) => {
    if (socket.destroyed) return
    const forget = () => answers.delete(answerOnce)
    const answerOnce = () => {
      socket.off('close', forget)
      answer()
    }
    answers.add(answerOnce)
    socket.once('close', forget)
    plan()
  }
}
