/**
 * Reads one document of a 1C statement. The direction is given in three ways, in this order: by a pair
 * of amounts (Kazakhstan), by the side on which our account stands, by the date of arrival. Where two of them
 * contradict each other the row is rejected: a wrong guess would confirm a deposit.
 */

import { message } from '../../messages/message.ts'
import type { Cents, Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { splitTaxId } from '../../transfers/payer-shapes.ts'
import { badRow, type Entry, type Part, type Payer, type ReadContext, RejectedRow } from '../entry.ts'
import { currencyOf, movedAmount, writtenAmount } from './amount.ts'
import { earliest, requireDate, timeOf, type WrittenDate } from './dates.ts'
import type { OneCDocument } from './one-c-document.ts'
import { documentNumber, textsOf } from './texts.ts'

export function partOf(
  document: OneCDocument,
  fileAccounts: ReadonlySet<string>,
  context: ReadContext,
): Part {
  const { line, contradicted } = document
  try {
    if (contradicted !== undefined)
      throw new RejectedRow(message('document_field_twice', { field: contradicted }), contradicted)
    const moved = movementOf(document, fileAccounts, context)
    return moved === undefined
      ? { skipped: { line, reason: 'other_account' } }
      : { entry: entryOf(document, moved, context) }
  } catch (error) {
    return badRow(error, line)
  }
}

function entryOf(document: OneCDocument, moved: Movement, context: ReadContext): Entry {
  const named = document.get('Валюта')
  const currency = named === '' ? context.currencyOf(moved.account)! : currencyOf('Валюта', named)
  return {
    line: document.line,
    ...moved,
    currency,
    ...datesOf(document, moved.direction, currency),
    documentNumber: documentNumber('Номер', document.get('Номер')),
    ...textsOf('НазначениеПлатежа', document.purposeParts, payerOf(document)),
    bankId: null,
    isReversal: false,
  }
}

type Movement = Pick<Entry, 'direction' | 'cents' | 'account' | 'isInternal'>

function movementOf(
  document: OneCDocument,
  fileAccounts: ReadonlySet<string>,
  context: ReadContext,
): Movement | undefined {
  const isOwn = (account: string): boolean => context.currencyOf(account) !== undefined
  const payers = accountsOf(document, 'Плательщик')
  const receivers = accountsOf(document, 'Получатель')
  const ownPayer = payers.find(isOwn)
  const ownReceiver = receivers.find(isOwn)
  // Both sides are named, and neither is ours: a payment of others, whatever its amounts.
  if (payers[0] && receivers[0] && !ownPayer && !ownReceiver) return undefined
  const { direction, cents } = amountPair(document) ?? {
    direction: directionBySides(),
    cents: movedAmount('Сумма', document.get('Сумма'), dotted),
  }
  const [named, own, otherOwn] =
    direction === 'credit' ? [receivers, ownReceiver, ownPayer] : [payers, ownPayer, ownReceiver]
  const isInternal = otherOwn !== undefined
  if (own !== undefined) return { direction, cents, account: own, isInternal }
  // Banks leave out the account whose statement it is, and only that one.
  if (named[0] !== undefined || fileAccounts.size !== 1)
    throw new RejectedRow(message('document_names_no_account'))
  return { direction, cents, account: [...fileAccounts][0]!, isInternal }

  function directionBySides(): Entry['direction'] {
    if (ownReceiver !== undefined && ownPayer !== undefined)
      return fileAccounts.has(ownPayer) && !fileAccounts.has(ownReceiver) ? 'debit' : 'credit'
    if (ownReceiver !== undefined) return 'credit'
    if (ownPayer !== undefined) return 'debit'
    return document.get('ДатаПоступило') !== '' ? 'credit' : 'debit'
  }
}

/** 1C writes a dot before the fraction, and nothing between thousands. */
const dotted = { isDotDecimal: true }

const accountsOf = (document: OneCDocument, side: string): string[] =>
  [`${side}Счет`, `${side}РасчСчет`]
    .map((key) => normalizeAccountNumber(document.get(key)))
    .filter((account) => account !== '')

/** Kazakhstan writes what came and what went apart, and repeats one of them as the sum. */
function amountPair(document: OneCDocument): Pick<Movement, 'direction' | 'cents'> | undefined {
  const amountAt = (key: string): Cents | undefined => {
    const text = document.get(key)
    return text === '' ? undefined : writtenAmount(key, text, dotted)
  }
  const [came, went, sum] = ['СуммаПриход', 'СуммаРасход', 'Сумма'].map(amountAt)
  if (came === undefined && went === undefined) return undefined
  if (came && went) throw new RejectedRow(message('both_sums_filled'))
  const key = came === undefined || went ? 'СуммаРасход' : 'СуммаПриход'
  const cents = movedAmount(key, document.get(key), dotted)
  if (sum !== undefined && sum !== cents) throw new RejectedRow(message('sums_differ'))
  return { direction: key === 'СуммаПриход' ? 'credit' : 'debit', cents }
}

function datesOf(
  document: OneCDocument,
  direction: Entry['direction'],
  currency: Currency,
): Pick<Entry, 'bookedOn' | 'bookedAt' | 'paidOn'> {
  const day = (key: string): WrittenDate | undefined => {
    const text = document.get(key)
    return text === '' ? undefined : requireDate(key, text, ['dd.mm.yyyy'])
  }
  const came = day('ДатаПоступило')
  const went = day('ДатаСписано')
  const ordered = day('Дата')
  const booked = (direction === 'credit' ? came : went) ?? day('ДатаОперации') ?? ordered ?? came ?? went
  if (!booked) throw new RejectedRow(message('document_has_no_date'))
  return {
    bookedOn: booked.day,
    bookedAt: timeOf(booked, currency),
    paidOn: earliest([went?.day, ordered?.day, day('ДатаВалютирования')?.day]),
  }
}

const payerOf = (document: OneCDocument): Payer => ({
  payerName: document.get('Плательщик1') || splitTaxId(document.get('Плательщик')).name,
  payerAccount: accountsOf(document, 'Плательщик')[0] ?? '',
  payerTaxId: document.get('ПлательщикИНН'),
  payerBank: document.get('ПлательщикБанк1', 'ПлательщикБИК'),
})
