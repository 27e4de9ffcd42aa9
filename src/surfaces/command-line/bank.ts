/** `inlet bank …`: the fake bank and the clock of test merchants. */

import { writeFile } from 'node:fs/promises'
import { recordOf } from '../../domain/deposits/record.ts'
import { readable } from '../../domain/money.ts'
import { exportStatement } from '../../domain/sandbox/export-statement.ts'
import { payByFakeBank } from '../../domain/sandbox/fake-bank.ts'
import { passTime } from '../../domain/sandbox/pass-time.ts'
import { mostMinutes } from '../../domain/sandbox/record.ts'
import { isDay } from '../../domain/transfers/bank-text/days.ts'
import type { Command, Values } from './command.ts'
import { cents, integer, optional, required, UsageProblem, uuid } from './options.ts'

export const bankCommands: Record<string, Command> = {
  'bank pay': {
    usage: 'inlet bank pay DEPOSIT_ID [--cents N] [--late] [--twice] [--purpose TEXT]',
    summary: 'test mode: send money for a deposit, as a bank would',
    example: '$DEPOSIT --cents 100000 --late',
    words: 1,
    async run({ db }, values, [id], { publicUrl }) {
      const { deposit, now, sent } = await payByFakeBank(
        { db, publicUrl, changed: () => {} },
        {
          depositId: uuid(id, 'The deposit'),
          cents: cents(values, 'cents'),
          purpose: optional(values, 'purpose'),
          late: values.late === true,
          twice: values.twice === true,
        },
      )
      return {
        json: {
          transfers: sent.map(({ transfer, rule, reason }) => ({
            id: transfer.id,
            bank_id: transfer.bankId,
            cents: transfer.cents,
            booked_on: transfer.bookedOn,
            state: transfer.state,
            rule,
            reason,
          })),
          deposit: recordOf(deposit, now, publicUrl),
        },
        text: [
          ...sent.map(
            ({ transfer, reason }) =>
              `${transfer.id}  ${readable(transfer.cents, transfer.currency)}  ${transfer.state}: ${reason}`,
          ),
          `${deposit.id} is ${deposit.state} ${deposit.labels.join(', ')}`.trimEnd(),
        ].join('\n'),
      }
    },
  },
  'bank pass': {
    usage: `inlet bank pass --merchant ID --minutes 1..${mostMinutes}`,
    summary: "test mode: let time pass for a merchant's deposits",
    example: '--merchant $MERCHANT --minutes 31',
    async run({ db }, values, _words, { publicUrl, production: isProduction }) {
      const merchantId = merchantOf(values)
      required(values, 'minutes')
      const minutes = integer(values, 'minutes', 1, mostMinutes)!
      const context = { db, publicUrl, changed: () => {} }
      const { deposits } = await passTime(context, { merchantId, minutes, isProduction })
      return {
        json: { minutes, deposits },
        text: `${minutes} minutes have passed for ${deposits} deposits.`,
      }
    },
  },
  'bank statement': {
    usage: 'inlet bank statement --merchant ID [--from DAY] [--to DAY] [--account NUMBER] [--out FILE]',
    summary: 'test mode: what the fake bank booked, as a statement file of 1C',
    example: '--merchant $MERCHANT --out statement.txt',
    async run({ db }, values) {
      const { bytes, transfers } = await exportStatement(db, {
        merchantId: merchantOf(values),
        from: dayOf(values, 'from'),
        to: dayOf(values, 'to'),
        account: optional(values, 'account'),
        written: (parameter) => `--${parameter}`,
      })
      const out = optional(values, 'out')
      if (out) await writeFile(out, bytes)
      // A terminal reads UTF-8, whatever the file would be written in.
      const text = new TextDecoder('windows-1251').decode(bytes)
      return out
        ? { json: { transfers, file: out }, text: `Transfers in ${out}: ${transfers}.` }
        : { json: { transfers, text }, text: text.trimEnd() }
    },
  },
}

const merchantOf = (values: Values): string => uuid(required(values, 'merchant'), '--merchant')

function dayOf(values: Values, name: string): string | null {
  const day = optional(values, name)
  if (day !== null && !isDay(day)) throw new UsageProblem(`--${name} must be a day, such as 2026-11-15.`)
  return day
}
