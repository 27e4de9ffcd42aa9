/** Keys that sign a merchant's requests, and secrets that sign our callbacks. A secret is shown once, when it is made. */
import { type KeyPurpose, quietDays } from '../domain/merchants/api-key.ts'
import { type KeyRow, listKeys } from '../domain/merchants/key-store.ts'
import { rotateKey } from '../domain/merchants/rotate-key.ts'
import { setKeyV2Only } from '../domain/merchants/set-key-v2-only.ts'
import { bounds } from '../platform/bounds.ts'
import { state, text, time } from './cells.ts'
import { act, section, sectionAct } from './declare.ts'
import { freshDeveloper, viewer } from './roles.ts'
import type { Context, Two } from './section.ts'

const onKey = act<KeyRow>()

async function mark({ id }: KeyRow, v2Only: boolean, { db, merchantId, merchantsChanged }: Context) {
  const { wasV2Only } = await setKeyV2Only(db, { merchantId: merchantId!, keyId: id, v2Only })
  await merchantsChanged(merchantId!)
  return { before: { v2Only: wasV2Only }, after: { v2Only } }
}

const daysField = (most: number, usual: number) =>
  ({
    head: ['Overlap, days', 'Период перекрытия, дней'],
    hint: [
      `0 to ${most}. With 0, the current ones stop working immediately.`,
      `От 0 до ${most}. При 0 текущие сразу перестанут работать.`,
    ],
    is: 'count',
    least: 0,
    most,
    value: () => String(usual),
  }) as const

async function rotated(
  { db, vault, merchantId, merchantsChanged }: Context,
  asked: { purpose: KeyPurpose; overlapDays: number; v2Only?: boolean },
) {
  const { overlapDays } = asked
  const key = await rotateKey(db, vault, { merchantId: merchantId!, ...asked })
  await merchantsChanged(merchantId!)
  return {
    subject: `merchant:${merchantId}`,
    after: { key: key.id, overlapDays, v2Only: key.v2Only },
    secret: [
      { head: ['Key ID', 'ID ключа'] as Two, text: key.id },
      { head: ['Secret', 'Секрет'] as Two, text: key.secret },
    ],
    secretText: [
      `The secret is shown only once. Store it where your server keeps its secrets. The others expire in ${overlapDays} days.`,
      `Секрет показывается один раз. Сохраните его там, где сервер хранит секреты. Остальные перестанут действовать через ${overlapDays} дн.`,
    ] as Two,
  }
}

export const keys = section<KeyRow>()({
  one: 'key',
  path: '/keys',
  name: ['Keys', 'Ключи'],
  about: [
    'Your server signs every request with one of the signing keys, and checks our callbacks with a callback secret. A secret is shown only once, when it is created.',
    'Ваш сервер подписывает каждый запрос ключом подписи, а наши колбэки проверяет секретом колбэков. Секрет показывается один раз — при создании.',
  ],
  empty: [
    ['No keys', 'Ключей нет'],
    ['Create a new one.', 'Создайте новый.'],
  ],
  read: viewer,
  columns: {
    key_id: { head: ['Key ID', 'ID ключа'], rank: 1, cell: (r) => text(r.id) },
    state: {
      rank: 1,
      cell: (r) =>
        r.isValid ? state('active', ['Active', 'Действует'], 'ok') : state('ended', ['Expired', 'Истёк']),
    },
    purpose: {
      head: ['For', 'Для чего'],
      rank: 2,
      cell: ({ purpose }) =>
        purpose === 'request'
          ? state(purpose, ['Requests', 'Запросы'])
          : state(purpose, ['Callbacks', 'Колбэки']),
    },
    not_after: { head: ['Expires', 'Действует до'], rank: 2, cell: (r) => time(r.notAfter) },
    v2_only: {
      head: ['Signatures', 'Подписи'],
      rank: 3,
      cell: (r) =>
        r.purpose === 'callback'
          ? null
          : r.v2Only
            ? state('v2', ['v2 only', 'только v2'], 'info')
            : state('both', ['literal and v2', 'простая и v2']),
    },
    v2_used_at: { head: ['v2 last used', 'v2 использована'], rank: 3, cell: (r) => time(r.v2UsedAt) },
    literal_used_at: {
      head: ['Literal last used', 'Простая использована'],
      rank: 3,
      cell: (r) => time(r.literalUsedAt),
    },
    created_at: { rank: 3, cell: (r) => time(r.createdAt) },
  },
  idOf: ({ id }) => id,
  title: ({ id }) => id,
  all: ({ db, merchantId }) => listKeys(db, merchantId!),
  notes: async ({ db, merchantId }) => {
    const offered = (await listKeys(db, merchantId!)).filter(
      ({ isValid, v2Only, usedOnlyV2 }) => isValid && !v2Only && usedOnlyV2,
    )
    return offered.map(({ id }) => ({
      is: 'note',
      tone: 'info',
      text: [
        `All requests with ${id} in the last ${quietDays} days were signed with v2. If you accept v2 only, a stolen literal-signed request becomes useless. You can change this back at any time.`,
        `Все запросы с ключом ${id} за последние ${quietDays} дней подписаны по v2. Если принимать только v2, перехваченный запрос с простой подписью станет бесполезен. Вернуть настройку можно в любой момент.`,
      ],
      link: { to: '/keys', id, text: ['Accept v2 only', 'Принимать только v2'] },
    }))
  },
  acts: {
    v2: onKey({
      name: ['Accept v2 only', 'Принимать только v2'],
      effect: [
        'Requests signed by this key with the literal scheme will be refused with 403. Check its last use first: a server that still signs this way stops working immediately.',
        'Запросы с простой подписью этого ключа будут получать отказ 403. Сначала проверьте последнее использование: сервер, который ещё подписывает так, сразу перестанет работать.',
      ],
      policy: freshDeveloper,
      audit: 'key_mark',
      from: ({ isValid, purpose, v2Only }) => isValid && purpose === 'request' && !v2Only,
      run: (_tx, { row, context }) => mark(row, true, context),
    }),
    both: onKey({
      name: ['Accept both', 'Принимать обе'],
      effect: [
        'Requests signed by this key with the literal scheme will be accepted along with v2.',
        'Запросы с простой подписью этого ключа снова будут приниматься наряду с v2.',
      ],
      policy: freshDeveloper,
      audit: 'key_mark',
      from: ({ isValid, v2Only }) => isValid && v2Only,
      run: (_tx, { row, context }) => mark(row, false, context),
    }),
  },
  sectionActs: {
    rotate: sectionAct({
      name: ['Create new key', 'Создать новый ключ'],
      effect: [
        'Current signing keys keep working during the overlap and then expire; switch to the new key before that.',
        'Текущие ключи подписи работают до конца периода перекрытия, затем истекают; перейдите на новый ключ до этого.',
      ],
      done: ['New key created.', 'Новый ключ создан.'],
      policy: freshDeveloper,
      audit: 'request_key_rotate',
      kind: 'primary',
      fields: {
        days: daysField(bounds.keyOverlapDaysMost, bounds.keyOverlapDays),
        v2Only: {
          head: ['The new key accepts v2 signatures only', 'Новый ключ принимает только подписи v2'],
          is: 'tick',
        },
      },
      run: (_tx, { given: { days: overlapDays, v2Only }, context }) =>
        rotated(context, { purpose: 'request', overlapDays, ...(v2Only && { v2Only }) }),
    }),
    secret: sectionAct({
      name: ['Create new callback secret', 'Создать новый секрет колбэков'],
      effect: [
        'During the overlap every callback carries two signatures, one per secret.',
        'В период перекрытия каждый колбэк содержит две подписи, по одной на секрет.',
      ],
      done: ['New secret created.', 'Новый секрет создан.'],
      policy: freshDeveloper,
      audit: 'callback_key_rotate',
      fields: { days: daysField(bounds.callbackOverlapDaysMost, bounds.callbackOverlapDays) },
      run: (_tx, { given: { days: overlapDays }, context }) =>
        rotated(context, { purpose: 'callback', overlapDays }),
    }),
  },
})
