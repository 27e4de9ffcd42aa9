/** Long work that acts of this process began, one after another. Its progress is in the database: any process can go on. */
import type { DepositContext } from '../../domain/deposits/change-deposit.ts'
import { faultFields, type Log } from '../../platform/log.ts'
import type { Context } from '../../sections/section.ts'

export type Background = Pick<Context, 'begin'>

export function createBackground(context: DepositContext, log: Pick<Log, 'warn'>): Background {
  const running = new Set<string>()
  let queue: Promise<unknown> = Promise.resolve()
  return {
    /** Does nothing if this work is under way here already. */
    begin(key, work): void {
      if (running.has(key)) return
      running.add(key)
      queue = queue
        .then(() => work(context))
        .catch((error) => log.warn('work that an act began has stopped', faultFields(error)))
        .finally(() => running.delete(key))
    },
  }
}
