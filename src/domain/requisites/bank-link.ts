/**
 * Links and codes that a bank or a payment scheme gave for a requisite, pasted by the operator. Inlet never makes
 * one: it only checks that the pasted text is whole, of a scheme it knows, good for more than one payment, and
 * free of an amount of its own. Only https on the schemes' own hosts can ever become a link on our page.
 *
 * Schemes are recognised by their text alone, so a link is either one of these or refused.
 */
import type { Currency } from '../money.ts'
import type { FindingCode } from './finding.ts'

type BankLink = {
  currency: Currency
  /** The address that a browser may open; absent where the text is only a QR code. */
  href?: string
  /** What is wrong with it; empty when it may be saved. */
  findings: FindingCode[]
}

/** Undefined when the text belongs to no scheme that we know. */
export function readBankLink(text: string): BankLink | undefined {
  if (text.length > maxCharacters) return undefined
  if (/^0002\d\d/.test(text)) return { currency: 'UZS', findings: emvFindings(text) }
  // No user, port or fragment, and only plain letters in the host, so that exactly the shown host is compared.
  const address = /^https:\/\/([a-z.]+)(\/[\w%./+:*,()!~-]*)(\?[\w&=-]*)?$/.exec(text)
  const scheme = address && schemes[address[1]!]
  if (!scheme) return undefined
  const [, , path, query = ''] = address
  const findings = scheme.findings({ text, path: path!, query })
  return { currency: scheme.currency, href: text, findings }
}

/** The same limit as in the database. */
const maxCharacters = 512

type Parts = { text: string; path: string; query: string }
type Scheme = { currency: Currency; findings: (parts: Parts) => FindingCode[] }

const schemes: Record<string, Scheme> = {
  'qr.nspk.ru': { currency: 'RUB', findings: sbpFindings },
  'app.paynet.uz': { currency: 'UZS', findings: paynetFindings },
  'my.click.uz': { currency: 'UZS', findings: shape(/^\/clickp2p\/[0-9a-fA-F]{64}$/) },
  'pay.kaspi.kz': { currency: 'KZT', findings: shape(/^\/pay\/[0-9A-Za-z]{8}$/) },
  'qr.kaspi.kz': { currency: 'KZT', findings: shape(/^\/[\w-]{1,128}$/) },
}

/** A path of this shape and nothing after it: what parameters would mean is not documented. */
function shape(pattern: RegExp): Scheme['findings'] {
  return ({ path, query }) => (pattern.test(path) && query === '' ? [] : ['link_shape'])
}

/** SBP: `AS` and type 01 are static, `AD` and type 02 serve one payment. */
function sbpFindings({ text, path, query }: Parts): FindingCode[] {
  const id = /^\/A([SD])[0-9A-Z]{30}$/.exec(path)
  const parameters =
    query === '' ||
    /^\?type=(0[12])&bank=\d{12}(?:&sum=(\d{1,18}))?(?:&cur=RUB)?(?:&crc=([0-9A-Fa-f]{4}))?$/.exec(query)
  if (!id || !parameters) return ['link_shape']
  const [, type, sum, crc] = parameters === true ? [] : parameters
  if (id[1] === 'D' || type === '02') return ['link_once']
  if (sum !== undefined && !/^0+$/.test(sum)) return ['link_amount']
  // Links published by banks themselves break this rule, so it is only a warning.
  if (crc && crc.toUpperCase() !== crc16(text.slice(0, text.indexOf('&crc=')))) {
    return ['link_check_sum_unproven']
  }
  return []
}

function paynetFindings({ path, query }: Parts): FindingCode[] {
  const payload = /^\/qr-online\/(.+)$/.exec(path)?.[1]
  if (!payload || query !== '') return ['link_shape']
  try {
    return emvFindings(decodeURIComponent(payload))
  } catch {
    return ['link_shape'] // A percent sign that encodes nothing.
  }
}

/** EMVCo merchant-presented code: two digits of tag, two of length, the value; the check sum is the last. */
function emvFindings(text: string): FindingCode[] {
  const values = parseTags(text)
  if (values?.get('00') !== '01' || [...values.keys()].at(-1) !== '63') return ['link_shape']
  if (values.get('63') !== crc16(text.slice(0, -4))) return ['link_check_sum']
  if (values.get('53') !== '860' || values.get('58') !== 'UZ') return ['link_country']
  if (values.get('01') === '12') return ['link_once']
  return values.has('54') ? ['link_amount'] : []
}

function parseTags(text: string): Map<string, string> | undefined {
  const values = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const head = /^(\d\d)(\d\d)$/.exec(text.slice(at, at + 4))
    const value = text.slice(at + 4, at + 4 + Number(head?.[2]))
    if (!head || value === '' || value.length < Number(head[2]) || values.has(head[1]!)) return undefined
    values.set(head[1]!, value)
    at += 4 + value.length
  }
  return values
}

/** CRC-16/CCITT-FALSE in upper hex. */
export function crc16(text: string): string {
  let crc = 0xffff
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
