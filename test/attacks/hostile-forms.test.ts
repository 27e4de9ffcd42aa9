/**
 * Every form of both consoles, sent by a person who may send it, with values that no browser would send: each is answered,
 * never by a fault of ours, and no answer leads to another site.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { settingRules } from '../../src/domain/merchants/merchant.ts'
import { currencies } from '../../src/domain/money.ts'
import { detailFields } from '../../src/domain/requisites/requisite.ts'
import { allSections } from '../../src/sections/sections.ts'
import { attacksOf, behindProxy, fromAnywhere, many } from '../support/attempts.ts'
import { accountOf, requisiteOf, transferTo } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'
import { liftPageRates } from '../support/staff-pages.ts'

const { attack, report } = attacksOf('hostile forms')

let gateway: TestGateway
let shop: Shop
let admin: PersonsBrowser
let owner: PersonsBrowser
let ids: string[]
before(async () => {
  // Two people send thousands of forms: each is to be refused for what is in it.
  liftPageRates()
  gateway = await startGateway({ environment: behindProxy })
  shop = await openShop(gateway)
  const other = await openShop(gateway)
  const { id } = (await shop.create({})).body
  const foreign = (await other.create({})).body.id
  const accountId = await accountOf(gateway, id)
  const people = await joined(gateway, { operatorRole: 'admin' })
  admin = people.browser
  owner = (await joined(gateway, { merchantId: shop.merchant, role: 'owner' })).browser
  ids = [
    ...[id, foreign, accountId, await requisiteOf(gateway, id), people.person.id, other.merchant],
    await transferTo(gateway, accountId, { cents: 77_700n }),
  ]
})

/** The names of the fields that the files of these folders read or show, a form takes no more than 160 of them. */
const fieldNames = (folders: readonly string[]): string[] => {
  const surfaces = new URL('../../src/surfaces/', import.meta.url)
  const texts = folders.flatMap((folder) =>
    readdirSync(new URL(folder, surfaces), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/words|\.test\./.test(name))
      .map((name) => readFileSync(new URL(`${folder}/${name}`, surfaces), 'utf8')),
  )
  const written = texts.flatMap((text) =>
    [...text.matchAll(/(?:field|In|Of)\((?:visit, )?'([\w-]+)'|\bname(?:="|: ')([\w-]+)/g)].map(
      ([, read, shown]) => read ?? shown!,
    ),
  )
  const others = [...Object.keys(settingRules), ...detailFields, ...currencies.map((code) => `above-${code}`)]
  return [...new Set([...others, ...written, 'reason', 'name', 'email', 'mode'])].filter(
    (name) => name !== 'csrf',
  )
}

/** The fields of a declared section; null where its forms are written by hand. */
function declaredNames(path: string): string[] | null {
  const section = allSections.find((one) => path.split('/').includes(one.path.slice(1)))
  const acts = section && Object.values({ ...section.acts, ...section.sectionActs })
  return acts ? [...new Set(acts.flatMap(({ fields }) => [...Object.keys(fields), 'reason']))] : null
}

const desk: Record<string, string> = {
  parked: 'transfers',
  '': 'queue',
}
function foldersOf(path: string): string[] {
  const [, console, section = ''] = path.split('/')
  if (console === 'operator') return [`desk/${desk[section] ?? section}`]
  return [console === 'console' ? 'console' : 'staff']
}

const hostile = [
  '',
  'x'.repeat(15_000 / 100),
  '9007199254740993',
  '9223372036854775808',
  '99999999999999999999999999',
  '-1',
  '0',
  '1e9',
  '0x10',
  'NaN',
  '١٢٣',
  '１２３',
  '1 000,50',
  '\ud800',
  '\u0000',
  'a\u0000b',
  '\u202e\u200b',
  "'; drop table people; --",
  '%00',
  '../../etc/passwd',
  '//other.example/x',
  'https://other.example/',
  'javascript:alert(1)',
  '{"a":1}',
  '[]',
  'on',
  'live',
  'test',
  'admin',
  'RUB',
  '275760-09-13',
  '0000-00-00',
  '2026-02-30',
  'constructor',
  '__proto__',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  'a@b.example',
  '10.0.0.0/8',
]

/** Routes that end the session of their caller. */
const endings = ['/sign-out', '/account/sessions/end', '/account/password', '/account/totp/remove']

attack(
  'every form with hostile values, by a person who may send it',
  async (note) => {
    const posts = gateway.policies.filter(
      ({ method, path }) => method === 'POST' && !endings.includes(path) && !path.includes('/upload'),
    )
    const some = [...hostile, ...ids]
    const hasty = new Set<string>()
    for (const { path } of posts) {
      const browser = path.startsWith('/console') ? owner : admin
      const names = (declaredNames(path) ?? fieldNames(foldersOf(path))).slice(0, 150)
      for (let turn = 0; turn < some.length; turn += many(1, 19)) {
        const value = some[turn]!
        const inAddress = ids[turn % ids.length]!
        const address = path.replace(':merchant', shop.merchant).replace(/:\w+/g, inAddress)
        const fields = Object.fromEntries(names.map((name) => [name, value]))
        // With a reason and a mode that are right, more of the others are looked at.
        const right = turn % 2 ? { reason: 'because', why: 'because', mode: 'test', name: 'Name' } : {}
        const { csrf } = browser
        const { status, location } = await browser.post(
          address,
          { ...fields, ...right, csrf },
          fromAnywhere(),
        )
        browser.csrf = csrf
        if (status === 429) hasty.add(path)
        const isAway = location !== null && !/^\/(?!\/)/.test(location) && !location.startsWith(gateway.url)
        note(
          `${path} with ${JSON.stringify(value).slice(0, 40)}: ${status} ${location}`,
          status >= 500 || isAway,
        )
      }
    }
    // Wrong codes have a limit of their own.
    assert.deepEqual(
      [...hasty].filter((path) => !path.startsWith('/sign-in/')),
      [],
    )
  },
  { timeout: 1_200_000 },
)

/** Forms as a person could send them: of these one field at a time is changed. */
const honest: [path: string, fields: Record<string, string>][] = [
  [
    '/operator/accounts/add',
    {
      ...{ mode: 'test', currency: 'RUB', owner: 'Owner', label: 'Label', taxId: '7707083893' },
      ...{ agreement: '1', publicName: 'Public', merchant: '' },
    },
  ],
  ['/operator/accounts/:account/limits', { day: '1', month: '2', open: '3', silent: '4', reason: 'because' }],
  [
    '/operator/requisites/add',
    {
      ...{ account: '', kind: 'card', number: '2200000000000004', holder: 'A B', bankName: 'Bank' },
      ...{ bankCode: '', confirmed: 'on', reason: 'because', min: '', max: '', daily: '', open: '' },
    },
  ],
  ['/operator/accounts/:account/number', { number: '40702810300000000042', reason: 'because' }],
  ['/operator/payment-types/add', { code: 'bank_card', name: 'Card', group: 'card', bank: '' }],
  ['/operator/payment-types/any_bank/limits', { currency: 'RUB', min: '1', max: '2', merchant: '' }],
  ['/operator/merchants/create', { name: 'New', mode: 'test', callback: '' }],
  ['/operator/merchants/:merchant/callback', { address: 'https://example.com/', reason: 'because' }],
  [
    '/operator/merchants/:merchant/returns',
    { success: 'https://example.com/', reject: '', reason: 'because' },
  ],
  [
    '/operator/lists/add',
    { list: 'watch', kind: 'customer', value: 'somebody', merchant: '', reason: 'because' },
  ],
  ['/operator/sources/add', { name: 'Bank', account: '', networks: '', reason: 'because' }],
  ['/operator/people/invite', { email: 'new@example.com', name: 'New', role: 'auditor', reason: 'because' }],
  ['/operator/settings/approvals', { single: '', rub: '1', kzt: '', reason: 'because' }],
  ['/operator/deposits/:deposit/confirm', { reason: 'because' }],
  ['/operator/transfers/:transfer/match', { deposit: '', despite: '', reason: 'because' }],
  ['/operator/transfers/:transfer/refund', { amount: '1', reason: 'because' }],
  ['/operator/transfers/:transfer/same', { of: '', despite: '', reason: 'because' }],
  ['/operator/refunds/:transfer/paid', { amount: '1', reason: 'because' }],
  ['/console/:merchant/people/invite', { email: 'other@example.com', name: 'Other', role: 'viewer' }],
  ['/console/:merchant/keys/rotate', { days: '7' }],
  ['/account/preferences', { language: 'en', timeZone: 'Europe/Moscow' }],
]
const oddities = [
  'x'.repeat(101),
  'x'.repeat(501),
  'я'.repeat(3_000),
  '😀'.repeat(51),
  '99999999999999',
  '9999999999999.99',
  '0,001',
  '\u202e',
  '١٢',
  '%',
  '\\',
  "'",
  'null',
  'undefined',
  '-0',
  '1\n2',
  '\t',
]

attack('honest forms in which one field is odd, twice, a list or no text', async (note) => {
  const [deposit, , account, , , , transfer] = ids as [string, string, string, string, string, string, string]
  const world: Record<string, string> = { deposit, account, transfer, merchant: shop.merchant }
  const isRoute = (asked: string) =>
    gateway.policies.some(
      ({ method, path }) =>
        method === 'POST' && new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`).test(asked),
    )
  assert.deepEqual(
    honest.map(([path]) => path).filter((path) => !isRoute(path)),
    [],
    'every form is there',
  )
  for (const [path, fields] of honest) {
    const browser = path.startsWith('/console') ? owner : admin
    const address = path.replace(/:(\w+)/g, (_all, name: string) => world[name]!)
    const base = { ...fields, csrf: browser.csrf }
    for (const name of Object.keys(fields)) {
      const bodies = [
        ...[...oddities, ...ids].map((value) => new URLSearchParams({ ...base, [name]: value }).toString()),
        `${new URLSearchParams(base)}&${name}=again`,
        `${new URLSearchParams(base)}&${name}[]=1&${name}[a]=2`,
        ...['%ED%A0%80', '%00', '%FF', '%C0%AE', '%', '%zz'].map((bytes) =>
          new URLSearchParams({ ...base, [name]: 'ODD' }).toString().replace('ODD', bytes),
        ),
      ]
      for (const body of bodies.filter((_, place) => place % many(1, 17) === 0)) {
        const answer = await fetch(gateway.url + address, {
          method: 'POST',
          body,
          redirect: 'manual',
          headers: {
            ...fromAnywhere(),
            cookie: browser.cookie,
            'sec-fetch-site': 'same-origin',
            'content-type': 'application/x-www-form-urlencoded',
          },
        })
        await answer.arrayBuffer()
        note(`${path} ${body.slice(0, 120)}: ${answer.status}`, answer.status >= 500)
      }
    }
  }
})

test('control: honest forms of the same people are taken', async () => {
  const made = await admin.post('/operator/merchants/create', { name: 'New', mode: 'test', callback: '' })
  assert.equal(made.status, 200)
  const saved = await owner.post('/account/preferences', { language: 'en', zone: 'Asia/Tashkent' })
  assert.equal(saved.status, 303)
})

report()
