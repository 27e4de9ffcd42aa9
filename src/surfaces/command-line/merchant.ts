/** `inlet merchant …` */

import type { Config } from '../../config.ts'
import { isOptional, optionalEvents } from '../../domain/callbacks/callback.ts'
import { addressProblem } from '../../domain/deposits/address.ts'
import { changeMerchant } from '../../domain/merchants/change-merchant.ts'
import { createMerchant } from '../../domain/merchants/create-merchant.ts'
import { type Merchant, type MerchantSettings, modes, settingRules } from '../../domain/merchants/merchant.ts'
import { findMerchant, listMerchants } from '../../domain/merchants/store.ts'
import { message } from '../../domain/messages/message.ts'
import { Refusal } from '../../platform/refusals.ts'
import { languages } from '../web/messages/languages.ts'
import type { Command, Values } from './command.ts'
import { integer, limit, oneOf, optional, required, switchOf, table, UsageProblem, uuid } from './options.ts'
import { readAll } from './read-all.ts'

export const merchantCommands: Record<string, Command> = {
  'merchant create': {
    usage: 'inlet merchant create --name NAME --mode live|test [--callback-url URL]',
    summary: 'add a merchant; prints its keys once',
    example: "--name 'My shop' --mode test",
    async run({ db, vault }, values, _words, config) {
      const mode = oneOf(values, 'mode', modes)
      const callbackUrl = addressFrom(values, mode, config)
      const created = await createMerchant(db, vault, { name: nameFrom(values), mode, callbackUrl })
      const json = {
        merchant: created.merchant.id,
        name: created.merchant.name,
        mode,
        callback_url: callbackUrl,
        key_id: created.keyId,
        signing_secret: created.signingSecret,
        callback_secret: created.callbackSecret,
      }
      return { json, text: `${lines(json)}\n\nThe secrets are shown only once. Keep them safe.` }
    },
  },
  'merchant set': {
    usage: `inlet merchant set ID [--name NAME] [--callback-url URL | --no-callback-url] [--success-url URL|""] [--reject-url URL|""] [--enable | --disable] [--events none|${optionalEvents.join(',')}] [--language none|${languages.join('|')}] ${Object.values(
      settingRules,
    )
      .map((rule) => `[--${rule.option} …]`)
      .join(' ')}`,
    summary: 'change a merchant: addresses, times, policies, rates, limits of its customers',
    example: '$MERCHANT --callback-url https://shop.example/callback --payment-minutes 20',
    words: 1,
    async run({ db }, values, [id], config) {
      const merchantId = uuid(id, 'The merchant')
      const enabled = switchOf(values)
      if (values['callback-url'] !== undefined && values['no-callback-url'])
        throw new UsageProblem('Give --callback-url or --no-callback-url, not both.')
      const merchant = await findMerchant(db, merchantId)
      if (!merchant) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
      const callbackUrl = addressFrom(values, merchant.mode, config)
      const successUrl = returnFrom(values, 'success-url', merchant.mode, config)
      const rejectUrl = returnFrom(values, 'reject-url', merchant.mode, config)
      const { after } = await changeMerchant(db, {
        merchantId,
        ...(values.name !== undefined && { name: nameFrom(values) }),
        ...(callbackUrl && { callbackUrl }),
        ...(values['no-callback-url'] && { callbackUrl: null }),
        ...(successUrl !== undefined && { successUrl }),
        ...(rejectUrl !== undefined && { rejectUrl }),
        ...(enabled !== undefined && { enabled }),
        ...(values.events !== undefined && { optionalEvents: eventsFrom(values) }),
        ...(values.language !== undefined && { language: languageFrom(values) }),
        settings: settingsFrom(values),
      })
      return { json: jsonOf(after), text: lines(jsonOf(after)) }
    },
  },
  'merchant show': {
    usage: 'inlet merchant show ID',
    summary: 'one merchant with its settings',
    example: '$MERCHANT',
    words: 1,
    async run({ db }, _values, [id]) {
      const merchant = await findMerchant(db, uuid(id, 'The merchant'))
      if (!merchant) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
      return { json: jsonOf(merchant), text: lines(jsonOf(merchant)) }
    },
  },
  'merchant list': {
    usage: 'inlet merchant list',
    summary: 'all merchants',
    async run({ db }) {
      const merchants = await readAll((page) => listMerchants(db, page))
      return {
        json: { merchants: merchants.map(jsonOf) },
        text: table(
          ['id', 'mode', 'on', 'name', 'callback address'],
          merchants.map((row) => [row.id, row.mode, row.enabled ? 'yes' : 'no', row.name, row.callbackUrl]),
        ),
      }
    },
  },
}

const languageFrom = (values: Values): string | null => {
  const language = oneOf(values, 'language', ['none', ...languages])
  return language === 'none' ? null : language
}

function eventsFrom(values: Values): string[] {
  const text = required(values, 'events')
  const events = text === 'none' ? [] : text.split(',').map((event) => event.trim())
  if (!events.every(isOptional)) {
    throw new UsageProblem(`--events must be none, or some of ${optionalEvents.join(',')}.`)
  }
  return events
}

function nameFrom(values: Values): string {
  const name = required(values, 'name')
  if ([...name].length > 100) throw new UsageProblem('--name has at most 100 characters.')
  return name
}

function addressFrom(
  values: Values,
  mode: Merchant['mode'],
  { isTrustedHost }: Config,
  option = 'callback-url',
): string | null {
  const address = optional(values, option)
  const problem = address && addressProblem(address, { mode, isTrustedHost })
  if (problem) throw new Refusal('url_not_allowed', { detail: `--${option}: ${problem}` })
  return address
}

/** Where customers return to. Empty text removes the address (null); an option that was not given leaves it (undefined). */
function returnFrom(
  values: Values,
  option: 'success-url' | 'reject-url',
  mode: Merchant['mode'],
  config: Config,
) {
  if (values[option] === undefined) return undefined
  return values[option] === '' ? null : addressFrom(values, mode, config, option)
}

function settingsFrom(values: Values): Partial<MerchantSettings> {
  const given: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(settingRules)) {
    if (values[rule.option] === undefined) continue
    if ('values' in rule) given[name] = oneOf<string>(values, rule.option, rule.values)
    else {
      const number =
        'orNone' in rule
          ? limit(values, rule.option, rule)
          : integer(values, rule.option, rule.least, rule.most)
      given[name] = number != null && name.endsWith('Cents') ? BigInt(number) : number
    }
  }
  return given
}

const jsonOf = ({
  settings,
  callbackUrl,
  successUrl,
  rejectUrl,
  optionalEvents: events,
  id,
  ...merchant
}: Merchant) => ({
  merchant: id,
  ...merchant,
  callback_url: callbackUrl,
  success_url: successUrl,
  reject_url: rejectUrl,
  events,
  settings: Object.fromEntries(
    Object.entries(settingRules).map(([name, rule]) => [
      rule.option.replaceAll('-', '_'),
      settings[name as keyof MerchantSettings],
    ]),
  ),
})

const lines = (json: Record<string, unknown>) =>
  Object.entries(json)
    .flatMap(([name, value]) =>
      name === 'settings' ? Object.entries(value as object) : [[name, value] as [string, unknown]],
    )
    .map(([name, value]) => `${name.padEnd(26)} ${value ?? '–'}`)
    .join('\n')
