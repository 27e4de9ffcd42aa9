/**
 * Whether a form comes from a page of ours. A browser says so in two headers, and neither may say otherwise. Our referrer
 * policy makes browsers write the origin of our own forms as "null" (Fetch, 3.2), which alone proves nothing. Pure.
 */
export type SenderHeaders = { origin?: string | undefined; 'sec-fetch-site'?: string | string[] | undefined }

export function isFromOurPage(
  { origin: sender, 'sec-fetch-site': site }: SenderHeaders,
  origin: string,
  /** What is taken where neither header tells: old browsers, for pages whose address is a secret of its own. */
  { untold }: { untold: boolean },
): boolean {
  if (site !== undefined && site !== 'same-origin') return false
  if (sender !== undefined && sender !== 'null') return sender === origin
  return site === 'same-origin' || untold
}
