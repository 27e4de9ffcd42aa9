/** The people of a merchant: its owners invite, change roles by inviting again, and remove them. */
import { type AccessRow, findAccess, listAccess } from '../domain/people/access-list.ts'
import { endMember, inviteMember } from '../domain/people/change-members.ts'
import type { MerchantRole } from '../domain/people/person.ts'
import {
  accessColumns,
  accessFilters,
  actorOf,
  inviteFields,
  linkOf,
  roleCell,
  withdrawAct,
} from './access.ts'
import { act, section, sectionAct } from './declare.ts'
import { freshOwner, viewer } from './roles.ts'
import type { Reads, Two } from './section.ts'

const roles = {
  viewer: ['Viewer: read-only access', 'Наблюдатель: только просмотр'],
  developer: ['Developer: callbacks, keys and the test bank', 'Разработчик: колбэки, ключи и тестовый банк'],
  owner: ['Owner: everything, including rules and people', 'Владелец: всё, включая правила и сотрудников'],
} as const satisfies Record<MerchantRole, Two>

/** A person's roles at other merchants are not shown. */
type Member = AccessRow & { role: MerchantRole | undefined }
const withRole = (row: AccessRow, { merchantId }: Pick<Reads, 'merchantId'>): Member => ({
  ...row,
  role:
    row.invitation?.merchantRole ??
    row.person?.memberships.find((membership) => membership.merchantId === merchantId)?.role,
})

export const members = section<Member>()({
  one: 'member',
  path: '/people',
  name: ['People', 'Сотрудники'],
  about: [
    'People with access to this merchant. The operator’s team can view it too. To change a role or get a new link, invite the person again.',
    'Сотрудники с доступом к этому мерчанту. Команда оператора тоже может его просматривать. Чтобы сменить роль или получить новую ссылку, пригласите ещё раз.',
  ],
  empty: [
    ['Nobody yet', 'Пока никого нет'],
    ['Invite the first person.', 'Пригласите первого сотрудника.'],
  ],
  read: viewer,
  columns: {
    name: accessColumns.name,
    role: { rank: 1, cell: ({ role }) => (role ? roleCell(roles, role) : null) },
    state: { ...accessColumns.state, rank: 2 },
    factor: accessColumns.factor,
    seen: accessColumns.seen,
    until: accessColumns.until,
  },
  filters: accessFilters,
  idOf: ({ id }) => id,
  title: ({ name }) => name,
  pages: async (context, { chosen, ...page }) => {
    const asked = { only: chosen.show, ...page }
    const { rows, next } = await listAccess(context.db, context.merchantId!, asked)
    return { rows: rows.map((row) => withRole(row, context)), next }
  },
  ids: /./,
  find: async (context, id) => {
    const row = await findAccess(context.db, context.merchantId!, id)
    return row && withRole(row, context)
  },
  acts: {
    end: act<Member>()({
      name: ['Remove access', 'Закрыть доступ'],
      effect: [
        'Access to this merchant ends immediately. Past actions stay in the audit log.',
        'Доступ к этому мерчанту закрывается сразу. Прошлые действия останутся в журнале.',
      ],
      done: ['Access removed.', 'Доступ закрыт.'],
      policy: freshOwner,
      audit: 'membership_end',
      kind: 'danger',
      from: ({ person }) => person !== null,
      run: async (tx, { row: { email }, by, context: { merchantId } }) => {
        await endMember(tx, { merchantId: merchantId!, email, actor: actorOf(by) })
        return { isUnchanged: true, isGone: true }
      },
    }),
    withdraw: withdrawAct(freshOwner),
  },
  sectionActs: {
    invite: sectionAct({
      name: ['Invite a person', 'Пригласить сотрудника'],
      effect: [
        'You get a one-time link, valid for three days. Send it to this person only; they get access after accepting the invitation. A person who has access already gets the new role immediately.',
        'Вы получите одноразовую ссылку, действующую три дня. Передайте её только этому сотруднику: доступ откроется, когда он примет приглашение. Если доступ уже есть, новая роль действует сразу.',
      ],
      policy: freshOwner,
      audit: 'membership_set',
      kind: 'primary',
      fields: inviteFields<MerchantRole>(roles),
      run: async (_tx, { given: { email, name, role }, by, context }) => {
        const asked = { merchantId: context.merchantId!, email: email.toLowerCase(), name, role }
        const { token } = await inviteMember(context.db, { ...asked, actor: actorOf(by) })
        return { isUnchanged: true, ...(token && { secret: linkOf(context, token) }) }
      },
    }),
  },
})
