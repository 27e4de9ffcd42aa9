/**
 * The longest time for which this thread served nobody else, in milliseconds of its own processor time: a busy machine does
 * not change it.
 */
export async function longestWork(work: () => Promise<unknown>): Promise<number> {
  const used = () => process.threadCpuUsage().user / 1_000
  let longest = 0
  let last = used()
  const timer = setInterval(() => {
    longest = Math.max(longest, used() - last)
    last = used()
  }, 5)
  await work().finally(() => clearInterval(timer))
  return longest
}
