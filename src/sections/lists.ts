/** The block and watch lists: customers, phones and payers that are not served, or are looked at by a person. */
import { readMerchantNames } from '../domain/merchants/store.ts'
import { addToList, removeListing } from '../domain/rules/change-list.ts'
import { type ListEntry, listKinds, lists as listNames, listValue } from '../domain/rules/listing.ts'
import { findEntry, listEntries } from '../domain/rules/store.ts'
import { isUuid } from '../platform/request-fields.ts'
import { foreign, link, person, state, time, words, wordsOf } from './cells.ts'
import { dangerous, read, work } from './roles.ts'
import { act, type Choice, section } from './section.ts'

const listChoices = [
  { value: 'block', words: ['Block', 'Блокировка'] },
  { value: 'watch', words: ['Watch', 'Наблюдение'] },
] as const satisfies readonly Choice[]
const kindChoices = [
  { value: 'customer', words: ['Customer', 'Покупатель'] },
  { value: 'phone', words: ['Phone', 'Телефон'] },
  { value: 'payer', words: ['Payer', 'Плательщик'] },
] as const satisfies readonly Choice[]

type Entry = ListEntry & { merchantName: string | null }

export const lists = section<Entry>({
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
      cell: ({ list }) => state(list, wordsOf(listChoices, list), list === 'block' ? 'bad' : 'warn'),
    },
    kind: { head: ['Type', 'Тип'], rank: 2, cell: ({ kind }) => state(kind, wordsOf(kindChoices, kind)) },
    merchant: {
      head: ['Merchant', 'Мерчант'],
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
  filters: [
    {
      name: 'q',
      head: ['Search', 'Найти'],
      is: 'search',
      hint: ['Exact name, ID or phone', 'Точное имя, ID, телефон'],
    },
    { name: 'list', head: ['List', 'Список'], is: 'choice', of: listChoices },
    { name: 'kind', head: ['Type', 'Тип'], is: 'choice', of: kindChoices },
    { name: 'ended', head: ['Include removed', 'Включая удалённые'], is: 'tick' },
  ],
  idOf: ({ id }) => id,
  merchantOf: ({ merchantId }) => merchantId,
  title: ({ value }) => value,
  list: async ({ db }, { chosen, after, limit }) => {
    const { q = '', list, kind, ended } = chosen
    const entries = await listEntries(db, {
      list: listNames.find((name) => name === list) ?? null,
      kind: listKinds.find((name) => name === kind) ?? null,
      // The search text is normalized in the way of each kind of entry.
      values: q === '' ? null : listKinds.flatMap((kind) => listValue(kind, q) ?? []),
      includesRemoved: ended === 'on',
      before: after && isUuid(after) ? after : null,
      limit: limit + 1,
    })
    const shown = entries.slice(0, limit)
    const names = await readMerchantNames(
      db,
      shown.flatMap(({ merchantId }) => merchantId ?? []),
    )
    const rows = shown.map((entry) => ({ ...entry, merchantName: names.get(entry.merchantId ?? '') ?? null }))
    return { rows, next: entries.length > limit ? shown.at(-1)!.id : null }
  },
  find: async ({ db }, id) => {
    const entry = isUuid(id) ? await findEntry(db, id) : undefined
    if (!entry) return undefined
    const names = await readMerchantNames(db, entry.merchantId ? [entry.merchantId] : [])
    return { ...entry, merchantName: names.get(entry.merchantId ?? '') ?? null }
  },
  acts: {
    remove: act<Entry>()({
      name: ['Remove', 'Удалить из списка'],
      done: ['Removed from the list.', 'Удалено из списка.'],
      policy: dangerous,
      audit: 'list_end',
      from: ({ removedAt }) => removedAt === null,
      fields: {},
      run: async (_tx, { row: { id }, by: { email, reason }, context }) => {
        await removeListing(context.db, { id, by: email.slice(0, 100), reason })
        await context.merchantsChanged()
      },
    }),
  },
  sectionActs: {
    add: act<undefined>()({
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
        merchant: {
          head: ['Only for merchant (ID)', 'Только для мерчанта (ID)'],
          hint: ['Empty means all merchants.', 'Пусто — для всех мерчантов.'],
          is: 'id',
          isOptional: true,
        },
      },
      run: async (_tx, { given: { merchant: merchantId, ...given }, by: { email, reason }, context }) => {
        const list = listNames.find((name) => name === given.list)!
        const kind = listKinds.find((name) => name === given.kind)!
        const entry = { list, kind, value: given.value, reason, addedBy: email.slice(0, 100), merchantId }
        const { value } = await addToList(context.db, entry)
        await context.merchantsChanged()
        return { merchantId, after: { list, kind, value, merchant: merchantId } }
      },
    }),
  },
})
