/**
 * Reads one document of a 1C statement. The direction is given in three ways, in this order: by a pair
 * of amounts (Kazakhstan), by the side on which our account stands, by the date of arrival. Where two of them
 * contradict each other the row is rejected: a wrong guess would confirm a deposit.
 */

import { message } from '../../messages/message.ts'
import type { Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { maskedSource } from '../../transfers/bank-text/masked.ts'
import { type Entry, type ReadContext, RejectedRow } from '../entry.ts'
import { currencyOf, movedAmount, writtenAmount } from './amount.ts'
import { earliest, requireDate, timestampOf, type WrittenDate } from './dates.ts'
import { documentNumber } from './identity.ts'
import type { OneCDocument } from './one-c-document.ts'
import { textsOf } from './texts.ts'

/** The entry, or an account that the document names instead of one of ours. */
export function entryOf(
  document: OneCDocument,
  fileAccounts: ReadonlySet<string>,
  context: ReadContext,
): { entry: Entry } | { notOurs: string } {
  const { contradicted } = document
  if (contradicted !== undefined)
    throw new RejectedRow(message('document_field_twice', { field: contradicted }), contradicted)
  const moved = movementOf(document, fileAccounts, context)
  return 'notOurs' in moved ? moved : { entry: entryFrom(document, moved, context) }
}

function entryFrom(document: OneCDocument, moved: Movement, context: ReadContext): Entry {
  const { direction, cents, account, isInternal } = moved
  const named = document.anywhere('валюта')
  const currency = named === '' ? context.currencyOf(account)! : currencyOf('Валюта', named)
  return {
    line: document.line,
    account,
    direction,
    cents,
    currency,
    ...datesOf(document, direction, currency),
    documentNumber: documentNumber('Номер', document.get('номер')),
    ...textsOf('НазначениеПлатежа', document.purposeParts, payerOf(document)),
    bankId: null,
    bankEntry: null,
    isReversal: false,
    isInternal,
    raw: maskedSource(document.raw),
  }
}

type Movement = Pick<Entry, 'direction' | 'cents' | 'account' | 'isInternal'>

function movementOf(
  document: OneCDocument,
  fileAccounts: ReadonlySet<string>,
  context: ReadContext,
): Movement | { notOurs: string } {
  const isOwn = (account: string): boolean => context.currencyOf(account) !== undefined
  const payers = accountsOf(document, 'плательщик')
  // After the purpose a payer could name another account of ours: there only one counts whose statement this is.
  const later = document.later('получательсчет', 'получательрасчсчет').map(normalizeAccountNumber)
  const receivers = [
    ...accountsOf(document, 'получатель'),
    ...later.filter((account) => fileAccounts.has(account)),
  ]
  const ownPayer = payers.find(isOwn)
  const ownReceiver = receivers.find(isOwn)
  // Both sides are named, and neither is ours: a payment of others, whatever its amounts.
  if (payers[0] && receivers[0] && !ownPayer && !ownReceiver) return { notOurs: receivers[0] }
  const pair = amountPair(document)
  const direction = pair?.direction ?? directionBySides()
  const cents = pair?.cents ?? movedAmount('Сумма', document.anywhere('сумма'), dotted)

  const [named, own, otherOwn] =
    direction === 'credit' ? [receivers, ownReceiver, ownPayer] : [payers, ownPayer, ownReceiver]
  if (own !== undefined) return { direction, cents, account: own, isInternal: otherOwn !== undefined }
  if (otherOwn !== undefined && named[0] !== undefined)
    throw new RejectedRow(message(`document_${direction}_on_other_side`))
  // Banks leave out the account whose statement it is, and only that one.
  if (named[0] !== undefined || fileAccounts.size !== 1)
    throw new RejectedRow(message('document_names_no_account'))
  return { direction, cents, account: [...fileAccounts][0]!, isInternal: otherOwn !== undefined }

  function directionBySides(): Entry['direction'] {
    if (ownReceiver !== undefined && ownPayer !== undefined)
      return fileAccounts.has(ownPayer) && !fileAccounts.has(ownReceiver) ? 'debit' : 'credit'
    if (ownReceiver !== undefined) return 'credit'
    if (ownPayer !== undefined) return 'debit'
    return document.anywhere('датапоступило') !== '' ? 'credit' : 'debit'
  }
}

/** 1C writes a dot before the fraction, and nothing between thousands. */
const dotted = { isDotDecimal: true }

const accountsOf = (document: OneCDocument, side: string): string[] =>
  document.all(`${side}счет`, `${side}расчсчет`).map(normalizeAccountNumber)

/** Kazakhstan writes what came and what went apart, and repeats one of them as the sum. */
function amountPair(document: OneCDocument): Pick<Movement, 'direction' | 'cents'> | undefined {
  const came = document.anywhere('суммаприход')
  const went = document.anywhere('суммарасход')
  if (came === '' && went === '') return undefined
  const cameCents = came === '' ? 0n : writtenAmount('СуммаПриход', came, dotted)
  const wentCents = went === '' ? 0n : writtenAmount('СуммаРасход', went, dotted)
  if (cameCents !== 0n && wentCents !== 0n) throw new RejectedRow(message('both_sums_filled'))
  const isCredit = wentCents === 0n && came !== ''
  const cents = isCredit ? movedAmount('СуммаПриход', came, dotted) : movedAmount('СуммаРасход', went, dotted)
  const sum = document.anywhere('сумма')
  if (sum !== '' && writtenAmount('Сумма', sum, dotted) !== cents)
    throw new RejectedRow(message('sums_differ'))
  return { direction: isCredit ? 'credit' : 'debit', cents }
}

function datesOf(
  document: OneCDocument,
  direction: Entry['direction'],
  currency: Currency,
): Pick<Entry, 'bookedOn' | 'bookedAt' | 'paidOn'> {
  const day = (name: string): WrittenDate | undefined => {
    const text = document.get(name.toLowerCase())
    return text === '' ? undefined : requireDate(name, text, 'dd.mm.yyyy')
  }
  const came = day('ДатаПоступило')
  const went = day('ДатаСписано')
  const operation = day('ДатаОперации')
  const ordered = day('Дата')
  const booked =
    (direction === 'credit' ? came : went) ?? operation ?? ordered ?? came ?? went ?? onlyDay(document)
  if (!booked) throw new RejectedRow(message('document_has_no_date'))
  return {
    bookedOn: booked.day,
    bookedAt: timestampOf(booked, currency),
    paidOn: earliest([went?.day, ordered?.day, day('ДатаВалютирования')?.day]),
  }
}

/** The day of a document whose dates all follow the purpose: two days could be the bank's and the payer's. */
function onlyDay(document: OneCDocument): WrittenDate | undefined {
  const texts = document.later('датапоступило', 'датасписано', 'датаоперации', 'дата')
  if (new Set(texts).size > 1)
    throw new RejectedRow(message('document_field_twice', { field: 'Дата' }), 'Дата')
  return texts[0] === undefined ? undefined : requireDate('Дата', texts[0], 'dd.mm.yyyy')
}

function payerOf(document: OneCDocument): Entry['payer'] {
  const [account = ''] = accountsOf(document, 'плательщик')
  return {
    name: document.get('плательщик1') || withoutTaxId(document.get('плательщик')),
    account,
    taxId: document.get('плательщикинн'),
    bank: document.get('плательщикбанк1', 'плательщикбик'),
  }
}

/** `ИНН 7700000009 ООО "Пример"`: the whole of the payer, where no line of it stands alone. */
const withoutTaxId = (text: string): string =>
  text.replace(/^ИНН[\s:]*\d*[\s\\/,]*(?:КПП[\s:]*\d*[\s\\/,]*)?/iu, '').trim()
