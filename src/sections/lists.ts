/** The block and watch lists: customers, phones and payers that are not served, or are looked at by a person. */
import { readMerchantNames } from '../domain/merchants/store.ts'
import { addToList, removeListing } from '../domain/rules/change-list.ts'
import { type List, type ListEntry, type ListKind, listKinds, listValue } from '../domain/rules/listing.ts'
import { findEntry, listEntries } from '../domain/rules/store.ts'
import type { Queryable } from '../platform/db.ts'
import { foreign, link, person, state, time, words } from './cells.ts'
import { act, choices, section, sectionAct } from './declare.ts'
import { dangerous, read, work } from './roles.ts'
import { merchantField, search } from './shared.ts'

const listWords = { block: ['Block', 'Блокировка'], watch: ['Watch', 'Наблюдение'] } as const
const kindWords = {
  customer: ['Customer', 'Покупатель'],
  phone: ['Phone', 'Телефон'],
  payer: ['Payer', 'Плательщик'],
} as const
const listChoices = choices<List>(listWords)
const kindChoices = choices<ListKind>(kindWords)

type Entry = ListEntry & { merchantName: string | null }

export const lists = section<Entry>()({
  one: 'list',
  path: '/lists',
  name: ['Lists', 'Списки'],
  about: [
    'Block: the customer cannot create deposits, and the payer’s money goes to manual review. Watch: money goes to manual review.',
    'Блокировка: покупатель не сможет создать депозит, а деньги плательщика уйдут на ручную проверку. Наблюдение: деньги уйдут на ручную проверку.',
  ],
  empty: [
    ['The lists are empty', 'Списки пусты'],
    [
      'Add customers or payers you do not want to serve, or want to check manually.',
      'Добавьте покупателей и плательщиков, которых не обслуживаете или проверяете вручную.',
    ],
  ],
  read,
  columns: {
    value: { head: ['Value', 'Значение'], rank: 1, cell: (r) => foreign(r.value) },
    list: {
      head: ['List', 'Список'],
      rank: 1,
      cell: ({ list }) => state(list, listWords[list], list === 'block' ? 'bad' : 'warn'),
    },
    kind: { head: ['Type', 'Тип'], rank: 2, cell: ({ kind }) => state(kind, kindWords[kind]) },
    merchant: {
      rank: 3,
      cell: (r) =>
        link('/merchants', r.merchantId, r.merchantName) ?? words(['All merchants', 'Все мерчанты']),
    },
    reason: { head: ['Why', 'Почему'], rank: 2, cell: (r) => foreign(r.reason) },
    added_at: { head: ['Added', 'Добавлено'], rank: 3, cell: (r) => time(r.addedAt) },
    added_by: { head: ['By', 'Кто'], rank: 3, cell: (r) => person(r.addedBy) },
    removed_at: {
      head: ['Removed', 'Удалено'],
      rank: 3,
      cell: (r) => r.removedAt && [time(r.removedAt), person(r.removedBy), foreign(r.removedReason)],
    },
  },
  filters: {
    q: search('Exact name, ID or phone', 'Точное имя, ID, телефон'),
    list: { head: ['List', 'Список'], is: 'choice', of: listChoices },
    kind: { head: ['Type', 'Тип'], is: 'choice', of: kindChoices },
    ended: { head: ['Include removed', 'Включая удалённые'], is: 'tick' },
  },
  idOf: ({ id }) => id,
  merchantOf: ({ merchantId }) => merchantId,
  title: ({ value }) => value,
  list: async ({ db }, { chosen: { q, list, kind, ended }, after, limit }) => {
    // The search text is normalized in the way of each kind of entry.
    const values = q === null ? null : listKinds.flatMap((kind) => listValue(kind, q) ?? [])
    return named(
      db,
      await listEntries(db, { list, kind, values, includesRemoved: ended, before: after, limit }),
    )
  },
  find: async ({ db }, id) => {
    const entry = await findEntry(db, id)
    return entry && (await named(db, [entry]))[0]
  },
  acts: {
    remove: act<Entry>()({
      name: ['Remove', 'Удалить из списка'],
      done: ['Removed from the list.', 'Удалено из списка.'],
      policy: dangerous,
      audit: 'list_end',
      from: ({ removedAt }) => removedAt === null,
      run: async (_tx, { row: { id }, by: { email, reason }, context }) => {
        await removeListing(context.db, { id, by: email.slice(0, 100), reason })
        await context.merchantsChanged()
      },
    }),
  },
  sectionActs: {
    add: sectionAct({
      name: ['Add to a list', 'Добавить в список'],
      done: ['Added to the list.', 'Добавлено в список.'],
      policy: work,
      audit: 'list_add',
      kind: 'primary',
      fields: {
        list: { head: ['List', 'Список'], is: 'choice', of: listChoices },
        kind: { head: ['Type', 'Тип'], is: 'choice', of: kindChoices },
        value: {
          head: ['Value', 'Значение'],
          hint: [
            'A customer ID from the merchant, a phone with country code, or a payer’s name, account or tax ID.',
            'ID покупателя у мерчанта, телефон с кодом страны либо имя, счёт или ИНН плательщика.',
          ],
          is: 'text',
          most: 200,
        },
        merchant: merchantField,
      },
      run: async (_tx, { given: { merchant: merchantId, ...given }, by: { email, reason }, context }) => {
        const { list, kind } = given
        const entry = { ...given, reason, addedBy: email.slice(0, 100), merchantId }
        const { value } = await addToList(context.db, entry)
        await context.merchantsChanged()
        return { merchantId, after: { list, kind, value, merchant: merchantId } }
      },
    }),
  },
})

async function named(db: Queryable, entries: readonly ListEntry[]): Promise<Entry[]> {
  const names = await readMerchantNames(
    db,
    entries.flatMap(({ merchantId }) => merchantId ?? []),
  )
  return entries.map((entry) => ({ ...entry, merchantName: names.get(entry.merchantId ?? '') ?? null }))
}
