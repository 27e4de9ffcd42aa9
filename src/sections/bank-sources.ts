/**
 * Bank sources. Each that pushes has its own token, shown once, and may report only the accounts listed for it. In live
 * mode a change that lets it report more waits for a second person; one that lets it report less takes effect at once.
 */
import { addsNetworks } from '../domain/approvals/guard.ts'
import { findAccount } from '../domain/requisites/account-store.ts'
import { maskedNumber } from '../domain/requisites/requisite.ts'
import {
  addSource,
  changedPart,
  changeSourceWithin,
  checkNetworks,
  type SourceChanges,
} from '../domain/transfers/bank-source.ts'
import type { BankSource } from '../domain/transfers/source.ts'
import { findSource, listSources } from '../domain/transfers/source-store.ts'
import type { Tx } from '../platform/db.ts'
import { foreign, link, modeOf, number, onOff, since, state, text, words } from './cells.ts'
import { act, section, sectionAct } from './declare.ts'
import { note, table } from './parts.ts'
import { admin, read } from './roles.ts'
import { type Acted, both, type Part, type Two } from './section.ts'
import { accountChoices, besideFields, nameField } from './shared.ts'

const kindWords = {
  push: ['Push', 'Уведомления банка'],
  file: ['Files', 'Файлы'],
  sandbox: ['Test bank', 'Тестовый банк'],
  hand: ['Noted by people', 'Отмечено сотрудниками'],
} as const satisfies Record<BankSource['kind'], Two>

const networksField = {
  head: ['Allowed networks', 'Разрешённые сети'],
  hint: [
    'For example 203.0.113.0/24 2001:db8::/32, separated by spaces. Empty means any network.',
    'Например, 203.0.113.0/24 2001:db8::/32, через пробел. Пусто — любые сети.',
  ],
  is: 'text',
  most: 2_000,
  isOptional: true,
} as const

/** Networks separated by spaces or commas. */
const networksIn = (text: string | null): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean)

const checked = (networks: readonly string[]) =>
  besideFields({ network_shape: 'networks', too_many_source_networks: 'networks' }, async () =>
    checkNetworks(networks),
  )

const onSource = act<BankSource>()

async function change(tx: Tx, { id }: BankSource, changes: SourceChanges): Promise<Acted> {
  const { before, after } = await besideFields({ too_many_source_accounts: 'account' }, () =>
    changeSourceWithin(tx, id, changes),
  )
  return { before: changedPart(before, changes), after: changedPart(after, changes) }
}

function scopeNote({ isBound, accounts }: BankSource): Part | false {
  if (!isBound)
    return note('warn', [
      'No accounts are listed, so this token can report money on any account of its mode. Allow an account to limit it.',
      'Счета не указаны, поэтому с этим токеном можно сообщать о деньгах на любом счёте режима. Разрешите счёт, чтобы ограничить доступ.',
    ])
  return (
    accounts.length === 0 &&
    note('bad', [
      'No accounts are listed: every push from this source is refused.',
      'Счета не указаны: все сообщения этого источника отклоняются.',
    ])
  )
}

export const bankSources = section<BankSource>()({
  one: 'source',
  path: '/sources',
  name: ['Bank sources', 'Источники данных'],
  about: [
    'Each bank source has its own token and may report only on the accounts listed for it.',
    'У каждого источника данных свой токен. Сообщать он может только о своих счетах.',
  ],
  empty: [
    ['No bank sources yet', 'Источников пока нет'],
    ['Add a bank that pushes, or import a statement.', 'Добавьте банк или загрузите выписку.'],
  ],
  read,
  columns: {
    name: {
      rank: 1,
      cell: ({ kind, channel, name }) =>
        kind === 'push' || name !== channel ? foreign(name) : words(kindWords[kind]),
    },
    state: { rank: 1, cell: ({ enabled }) => onOff(enabled) },
    kind: { head: ['Type', 'Вид'], rank: 2, cell: ({ kind }) => state(kind, kindWords[kind]) },
    mode: { rank: 3, cell: ({ mode }) => modeOf(mode) },
    accounts: {
      head: ['Accounts', 'Счета'],
      rank: 2,
      cell: ({ kind, isBound, accounts }) =>
        kind === 'push' && isBound
          ? number(accounts.length)
          : state('all', ['All of its mode', 'Все своего режима'], kind === 'push' ? 'warn' : 'plain'),
    },
    networks: {
      head: networksField.head,
      rank: 3,
      cell: ({ kind, networks }) =>
        kind === 'push' ? (text(networks.join(' ')) ?? words(['Any', 'Любые'])) : null,
    },
    last_used: { head: ['Last data', 'Последние данные'], rank: 2, cell: (r) => since(r.last_used_at) },
  },
  idOf: ({ id, kind }) => (kind === 'push' ? id : null),
  title: ({ name }) => name,
  all: ({ db }) => listSources(db),
  find: async ({ db }, id) => {
    const source = await findSource(db, id)
    return source?.kind === 'push' ? source : undefined
  },
  parts: async (_context, source) => [
    scopeNote(source),
    table(['Accounts', 'Счета'], source.accounts, [
      [['Account', 'Счёт'], ({ id, label }) => link('/accounts', id, label)],
      [['Number', 'Номер'], ({ number }) => text(number && maskedNumber(number))],
    ]),
  ],
  acts: {
    allow: onSource({
      name: ['Allow account', 'Разрешить счёт'],
      effect: [
        'The source may report money on this account. In live mode a second person approves it.',
        'Источник сможет сообщать о деньгах на этом счёте. В боевом режиме нужно согласование.',
      ],
      policy: admin,
      audit: 'source_account_add',
      fields: {
        account: {
          head: ['Account', 'Счёт'],
          is: 'choice',
          of: async ({ db }, { mode, accounts }) => {
            const all = await accountChoices(db, mode)
            return all.filter(({ value }) => !accounts.some(({ id }) => id === value))
          },
        },
      },
      // A source without listed accounts may report all of them, so listing the first one is stricter.
      second: (_tx, { row: { mode, isBound } }) => mode === 'live' && isBound,
      seen: ({ accounts }) => ({ accounts: accounts.map(({ label }) => label).join(', ') }),
      run: (tx, { row, given }) => change(tx, row, { accounts: (ids) => [...ids, given.account] }),
    }),
    withdraw: onSource({
      name: ['Remove account', 'Убрать счёт'],
      policy: admin,
      audit: 'source_account_remove',
      isPlain: true,
      from: ({ accounts }) => accounts.length > 0,
      fields: {
        account: {
          head: ['Account', 'Счёт'],
          is: 'choice',
          of: async (_reads, { accounts }) =>
            accounts.map(({ id, label }) => ({ value: id, words: both(label) })),
        },
      },
      run: (tx, { row, given }) =>
        change(tx, row, { accounts: (ids) => ids.filter((id) => id !== given.account) }),
    }),
    networks: onSource({
      name: ['Change networks', 'Изменить сети'],
      effect: [
        'In live mode a second person approves further networks; fewer networks apply at once.',
        'В боевом режиме новые сети требуют согласования, сужение действует сразу.',
      ],
      policy: admin,
      audit: 'source_networks',
      fields: {
        networks: { ...networksField, value: ({ networks }) => networks.join(' ') },
      },
      second: async (_tx, { row: { mode, networks }, given }) => {
        const wanted = networksIn(given.networks)
        await checked(wanted)
        return mode === 'live' && addsNetworks(networks, wanted)
      },
      run: (tx, { row, given }) => change(tx, row, { networks: networksIn(given.networks) }),
    }),
    disable: onSource({
      name: ['Turn off', 'Выключить'],
      effect: ['Its token is refused from now on.', 'Токен сразу перестаёт действовать.'],
      policy: admin,
      audit: 'source_disable',
      kind: 'danger',
      isPlain: true,
      isOffered: ({ enabled }) => enabled,
      run: (tx, { row }) => change(tx, row, { enabled: false }),
    }),
    enable: onSource({
      name: ['Turn on', 'Включить'],
      effect: ['In live mode a second person approves it.', 'В боевом режиме нужно согласование.'],
      policy: admin,
      audit: 'source_enable',
      from: ({ enabled }) => !enabled,
      second: (_tx, { row }) => row.mode === 'live',
      run: (tx, { row }) => change(tx, row, { enabled: true }),
    }),
  },
  sectionActs: {
    add: sectionAct({
      name: ['Add bank source', 'Добавить источник'],
      effect: [
        'For a live account a second person approves it, and is shown the token.',
        'Для боевого счёта нужно согласование: токен увидит второй сотрудник.',
      ],
      done: ['Bank source added.', 'Источник данных добавлен.'],
      policy: admin,
      audit: 'source_add',
      kind: 'primary',
      fields: {
        name: nameField,
        account: {
          head: ['Account', 'Счёт'],
          hint: [
            'The first one that it may report; more are allowed on its page.',
            'Первый из разрешённых; остальные добавляются на странице источника.',
          ],
          is: 'choice',
          of: ({ db }) => accountChoices(db),
        },
        networks: { ...networksField, isFolded: true },
      },
      second: async (tx, { given }) => {
        await checked(networksIn(given.networks))
        return (await findAccount(tx, given.account))?.mode === 'live'
      },
      run: async (tx, { given, context }) => {
        const { mode } = (await findAccount(tx, given.account))!
        const after = {
          ...{ name: given.name, mode, accounts: [given.account] },
          networks: networksIn(given.networks),
        }
        const { id, token } = await addSource(context.db, after)
        return {
          ...{ after, subject: `source:${id}`, show: { id } },
          secret: [{ head: ['Token', 'Токен'], text: token }],
          secretText: [
            'Shown only once. Give it to the person who sets up the push; it is sent in the header “Authorization: Bearer …”.',
            'Показывается один раз. Передайте его тому, кто настраивает отправку; он указывается в заголовке «Authorization: Bearer …».',
          ],
        }
      },
    }),
  },
})
