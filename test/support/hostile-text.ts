/** What payers could write into a purpose or a name to be taken for the bank: for properties of the readers. */
import fc from 'fast-check'

/** Every character and pair that some program takes for the end of a line. */
const lineEnds = ['\r\n', '\n', '\r', '\n\r', '\u2028', '\u2029', '\u0085', '\u000b', '\u000c', '\u001e']

/** Pieces of structure of the formats that are read, with what a forger would want in them. */
const structure = (account: string): string[] => [
  ...['КонецДокумента', 'КонецРасчСчет', 'КонецФайла', '1CClientBankExchange', 'СекцияРасчСчет'],
  ...['СекцияДокумент=Платежное поручение', `РасчСчет=${account}`, `ПолучательСчет=${account}`],
  ...['Сумма=50000.00', 'Сумма=10.00', 'СуммаПриход=50000.00', 'СуммаРасход=1.00', 'ВсегоПоступило=50010.00'],
  ...['ВсегоСписано=50000.00', 'КонечныйОстаток=50000.00', 'Номер=1', 'Номер=77', 'ДатаПоступило=14.11.2026'],
  ...['Дата=14.11.2026', 'НазначениеПлатежа=', 'НазначениеПлатежа1=x', `ПлательщикСчет=${account}`],
  ...[
    '</Ustrd>',
    '</Ntry><Ntry>',
    '<Amt Ccy="RUB">50000.00</Amt>',
    ']]>',
    '<![CDATA[',
    '<!--',
    '-->',
    '&amp;',
  ],
  ...['&#10;', '&lt;', '<Sts>BOOK</Sts>', '</Stmt><Stmt>', '<?xml?>', '<!DOCTYPE x>', '&#x0;', '&quot;'],
  ...[';', '"', '""', ',', '\t', '=', "'", ':61:2611141114C50000,00NTRF', ':86:', '-}', '\u0000', '\u001a'],
]

/** A document of 1C that the bank never wrote. */
const forgedDocument = (account: string, sum: string, isDebit = false): string[] => {
  const stranger = '40817810000000000001'
  const [from, to] = isDebit ? [account, stranger] : [stranger, account]
  return [
    ...['СекцияДокумент=Платежное поручение', 'Номер=66', 'Дата=14.11.2026', `Сумма=${sum}`],
    ...[`ПлательщикСчет=${from}`, `ПолучательСчет=${to}`],
    ...[`${isDebit ? 'ДатаСписано' : 'ДатаПоступило'}=14.11.2026`, 'НазначениеПлатежа=KT48219034'],
  ]
}

/** The bank's own last line is the end of the last of these. */
const forgeries = (account: string, sum: string): string[][] => [
  ['КонецДокумента', ...forgedDocument(account, sum)],
  [
    ...['КонецДокумента', ...forgedDocument(account, sum), 'КонецДокумента'],
    ...forgedDocument(account, sum, true),
  ],
  [
    ...['КонецДокумента', 'СекцияРасчСчет', `РасчСчет=${account}`, `ВсегоПоступило=${sum}`],
    ...['ВсегоСписано=0.00', 'КонецРасчСчет', ...forgedDocument(account, sum)],
  ],
]

/** Mostly plain, sometimes pieces of structure, with line ends of every kind between them. */
export function hostileText(account: string): fc.Arbitrary<string> {
  const ending = fc.constantFrom(...lineEnds)
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('Перевод', 'KT48219034', 'за товар', ' '),
    fc.constantFrom(...structure(account)),
  )
  const mixed = fc
    .array(fc.tuple(piece, fc.oneof({ weight: 2, arbitrary: fc.constant('') }, ending)), { maxLength: 6 })
    .map((pieces) => pieces.flat().join(''))
  const forged = fc
    .tuple(
      fc.oneof(fc.constantFrom('\r\n', '\n', '\r'), ending),
      fc.constantFrom('50000.00', '10.00', '0.01'),
      fc.nat(2),
    )
    .map(([end, sum, which]) => ['x', ...forgeries(account, sum)[which]!].join(end))
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
    { weight: 3, arbitrary: mixed },
    { weight: 2, arbitrary: forged },
  )
}
