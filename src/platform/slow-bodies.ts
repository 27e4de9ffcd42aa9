/** Connections that bring a file: the short time of every other request is not theirs. */
const slow = new WeakSet<object>()

export const allowSlowBody = (socket: object): void => void slow.add(socket)
export const allowsSlowBody = (socket: object): boolean => slow.has(socket)
