/** Two files may number one payment by two fields: such numbers never prove that there are two payments. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Deposit } from '../../src/domain/deposits/deposit.ts'
import { decimal } from '../../src/domain/money.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf, dotted, importBytes, today } from '../support/bank.ts'
import { type MoneyIn, openMoneyIn } from '../support/money-in.ts'
import { workbook } from '../vectors/statements/layout-cases.ts'

let money: MoneyIn
before(async () => {
  money = await openMoneyIn()
})

let amount = 8_400_000
const take = (bytes: Uint8Array, name = 'day') =>
  importBytes(depositContextOf(money.gateway), bytes, { name, anyway: true })

const eurasian = (account: string, cents: bigint, column: string, number: string, { reference }: Deposit) =>
  workbook([
    ['EURIKZKA'],
    ['ИИК', account],
    [
      ...['Дата проводки', 'Вид операции', column, 'Наименование Бенефициара/Отправителя'],
      ...['ИИН/БИН Бенефициара/отправителя', 'ИИК бенефициара/Отправителя денег'],
      ...['Наименование банка Бенефициара/Отправителя', 'БИК банка Бенефициара/Отправителя'],
      ...['Назначение платежа', 'Дебет', 'Кредит', 'Остаток'],
    ],
    [
      ...[dotted(today()), 'Перевод', number, 'Яна П.', '850101300012', 'KZ86125KZT5004100100', 'АО Банк'],
      ...['HSBKKZKX', `Пополнение ${reference}`, '', Number(decimal(cents)), 1_000 + Number(decimal(cents))],
    ],
    ['Итого', '', '', '', '', '', '', '', '', 0, Number(decimal(cents)), ''],
  ])

const columns = ['Номер документа клиента', 'Номер документа'] as const

for (const [first, second] of [columns, columns.toReversed()] as [string, string][])
  test(`one layout with the column ${first}, then ${second}: one payment counts once`, async () => {
    amount += 20
    const { body } = await money.shop.create({
      payment_type: 'account_number',
      cents: amount,
      currency: 'KZT',
    })
    const deposit = await money.stored(body.id)
    const [account] = await money.gateway.database.owner.query<{ number: string }>(
      sql`select a.number from receiving_accounts a join deposits d on d.account_id = a.id where d.id = ${body.id}`,
    )
    const half = BigInt(amount) / 2n
    const number = (place: number) => String(amount * 10 + place)
    await take(eurasian(account!.number, half, first, number(1), deposit))
    await take(eurasian(account!.number, half, second, number(2), deposit))
    assert.deepEqual(await money.standing(deposit), ['created', half])
    // Numbered by the same column, it is another payment.
    await take(eurasian(account!.number, half, first, number(3), deposit))
    assert.deepEqual(await money.standing(deposit), ['confirmed', 2n * half])
  })
