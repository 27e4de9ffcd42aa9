/**
 * Refuses request heads that two servers could read differently. Node's parser refuses most of them; this is
 * the rest (RFC 9112, 2.3, 3.2 and 6.1). Repeated headers arrive joined with a comma. Pure.
 */
type RequestHead = {
  httpVersion: string
  headers: {
    host?: string | undefined
    upgrade?: string | undefined
    'transfer-encoding'?: string | undefined
  }
}

export function isUnambiguous({ httpVersion, headers }: RequestHead): boolean {
  const { host, upgrade, 'transfer-encoding': encoding } = headers
  const isModern = httpVersion === '1.1'
  if (!isModern && httpVersion !== '1.0') return false
  // Load balancers ask for health in 1.0, without a host.
  const isNamed = host === undefined ? !isModern : /^[^\s,/?#@\\]+$/.test(host)
  // Node drops what it has of the next request behind one that asks for an upgrade and ends in an unusual way.
  if (upgrade !== undefined && encoding !== undefined) return false
  return isNamed && (encoding === undefined || (isModern && encoding.toLowerCase() === 'chunked'))
}
