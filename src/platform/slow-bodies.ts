/**
 * Connections that upload a file: the usual request timeout does not apply to them any more. The answer to an upload ends
 * its connection (`withFile` in guarded-routes.ts), so that no other request is exempt.
 */
const slow = new WeakSet<object>()

export const allowSlowBody = (socket: object): void => void slow.add(socket)
export const allowsSlowBody = (socket: object): boolean => slow.has(socket)
