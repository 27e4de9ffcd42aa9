/** Connections that upload a file: the usual request timeout does not apply to them. */
const slow = new WeakSet<object>()

export const allowSlowBody = (socket: object): void => void slow.add(socket)
export const allowsSlowBody = (socket: object): boolean => slow.has(socket)
