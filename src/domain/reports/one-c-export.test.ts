/** The file for 1C, read back by the reader of banks' files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Part } from '../statements/entry.ts'
import { oneC } from '../statements/formats/one-c.ts'
import { type OneCAccount, type OneCCredit, oneCDocuments, oneCEnd, oneCHead } from './one-c-export.ts'

const account = (changes: Partial<OneCAccount> = {}): OneCAccount => ({
  ...({
    number: '40702810300000000042',
    currency: 'RUB',
    owner: 'ООО "Пример"',
    taxId: '7700000009',
  } as const),
  ...{ bankName: 'Банк "Тест"', bic: '044525999', corrAccount: '30101810600000000999', kpp: '' },
  cents: 150_050n,
  ...changes,
})
const credit = (changes: Partial<OneCCredit> = {}): OneCCredit => ({
  ...{ cents: 150_050n, bookedOn: '2026-11-15', paidOn: '2026-11-14', documentNumber: '7' },
  ...{ payerName: 'Иванов Иван', payerAccount: '40817810000000000001', payerTaxId: '500100732259' },
  ...{ payerBank: 'Банк', purpose: 'Пополнение KT48219034' },
  ...changes,
})
const period = { from: '2026-11-01', to: '2026-11-30' }

async function readBack(pieces: Buffer[]): Promise<Part[]> {
  const source = async function* () {
    yield* pieces
  }
  const parts: Part[] = []
  for await (const part of oneC.read(source(), {
    currencyOf: (number) => (number === account().number ? 'RUB' : undefined),
  }))
    parts.push(part)
  return parts
}
const fileOf = (credits: OneCCredit[], reportAccount = account()) => [
  oneCHead([reportAccount], period, '2026-11-16 10:00:00'),
  oneCDocuments(credits, reportAccount),
  oneCEnd(),
]

test('a credit is read back as it was', async () => {
  const parts = await readBack(fileOf([credit()]))
  const [entry] = parts.flatMap((part) => ('entry' in part ? [part.entry] : []))
  assert.partialDeepStrictEqual(entry, {
    account: '40702810300000000042',
    direction: 'credit',
    cents: 150_050n,
    bookedOn: '2026-11-15',
    paidOn: '2026-11-14',
    documentNumber: '7',
    ...{
      payerName: 'Иванов Иван',
      payerAccount: '40817810000000000001',
      payerTaxId: '500100732259',
      payerBank: 'Банк',
    },
    purpose: 'Пополнение KT48219034',
  })
  const [summary] = parts.flatMap((part) => ('summary' in part ? [part.summary] : []))
  assert.partialDeepStrictEqual(summary, { from: '2026-11-01', to: '2026-11-30', creditCents: 150_050n })
})

test('a payer’s text adds no line, key or document', async () => {
  const evil = 'x\r\nСумма=999999.00\r\nКонецДокумента\nКонецФайла\u2028Сумма=1'
  const parts = await readBack(
    fileOf([
      credit({ purpose: evil, payerName: evil, documentNumber: evil, payerAccount: evil, payerBank: evil }),
    ]),
  )
  const entries = parts.flatMap((part) => ('entry' in part ? [part.entry] : []))
  assert.deepEqual(
    entries.map(({ cents, purpose }) => [cents, purpose]),
    [[150_050n, 'x Сумма=999999.00 КонецДокумента КонецФайла Сумма=1']],
  )
})

test('letters that windows-1251 lacks get their Russian neighbours, the rest a question mark', async () => {
  const parts = await readBack(fileOf([credit({ payerName: 'Қуаныш Ғани Ҷӯраев Gʻani 漢' })]))
  const [entry] = parts.flatMap((part) => ('entry' in part ? [part.entry] : []))
  assert.equal(entry!.payerName, "Куаныш Гани Чураев G'ani ?")
})

test('another currency than roubles is named; without credits the file is whole', async () => {
  const text = (pieces: Buffer[]) => new TextDecoder('windows-1251').decode(Buffer.concat(pieces))
  assert.match(text(fileOf([credit()], account({ currency: 'KZT' }))), /\r\nВалюта=KZT\r\n/)
  assert.doesNotMatch(text(fileOf([credit()])), /Валюта/)
  const empty = text([oneCHead([], period, '2026-11-16 10:00:00'), oneCEnd()])
  assert.match(empty, /^1CClientBankExchange\r\n/)
  assert.match(empty, /КонецФайла\r\n$/)
})
