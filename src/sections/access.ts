/** What the people of the desk and those of a merchant have in common. */

import type { Policy } from '../domain/people/access.ts'
import type { AccessRow } from '../domain/people/access-list.ts'
import { type Actor, takeInvitationBack } from '../domain/people/change-person.ts'
import { hasSecondFactor } from '../domain/people/person.ts'
import { foreign, since, state, time } from './cells.ts'
import { act, type Columns, choices } from './declare.ts'
import { joinAt } from './paths.ts'
import type { Act, By, Cell, Two } from './section.ts'

export const accessColumns = {
  name: { head: ['Name', 'Имя'], rank: 1, cell: (r) => foreign(r.name, r.email) },
  state: {
    head: ['Access', 'Доступ'],
    rank: 1,
    cell: ({ person }) =>
      person === null
        ? state('invited', ['Invited', 'Приглашён'], 'info')
        : person.disabledAt
          ? state('disabled', ['Disabled', 'Отключён'], 'bad')
          : state('on', ['On', 'Включён'], 'ok'),
  },
  factor: {
    head: ['Second factor', 'Второй фактор'],
    rank: 3,
    cell: ({ person }) =>
      person && hasSecondFactor(person)
        ? state(person.hasTotp ? 'code' : 'passkey', ['Yes', 'Есть'])
        : person && state('none', ['None', 'Нет'], 'warn'),
  },
  seen: {
    head: ['Last active', 'Активность'],
    rank: 3,
    cell: ({ person }) => person && since(person.lastSeenAt),
  },
  until: {
    head: ['Invitation until', 'Приглашение до'],
    rank: 3,
    cell: ({ invitation }) => invitation && time(invitation.expiresAt),
  },
} as const satisfies Columns<AccessRow>

export const accessFilters = {
  show: {
    head: ['Show', 'Показать'],
    is: 'choice',
    of: choices<'people' | 'invitations'>({
      people: ['People', 'Сотрудники'],
      invitations: ['Invitations', 'Приглашения'],
    }),
  },
} as const

export const actorOf = ({ personId, email, requestId, reason }: By): Actor => ({
  ...{ personId, requestId, reason },
  name: email,
})

/** `Viewer: read-only access` has the role before what it may do. */
export function roleCell<Role extends string>(names: Readonly<Record<Role, Two>>, role: Role): Cell {
  const [en, ru] = names[role]
  return state(role, [en.split(':', 1)[0]!, ru.split(':', 1)[0]!])
}

export const inviteFields = <Role extends string>(roles: Readonly<Record<Role, Two>>) =>
  ({
    email: { head: ['Email', 'Электронная почта'], is: 'email' },
    name: { head: ['Name', 'Имя'], is: 'text', most: 100 },
    role: { head: ['Role', 'Роль'], is: 'choice', of: choices<Role>(roles) },
  }) as const

/** The link is in the answer to the form, and nowhere else. */
export const linkOf = ({ publicUrl }: { publicUrl: string }, token: string) => [
  { head: ['One-time link', 'Одноразовая ссылка'] as Two, text: publicUrl + joinAt(token) },
]
export const linkText: Two = [
  'Shown only once and works only once. Send it through a channel you trust.',
  'Показывается один раз и действует один раз. Передайте её по надёжному каналу.',
]

export const withdrawAct = (policy: Policy): Act<AccessRow> =>
  act<AccessRow>()({
    name: ['Withdraw invitation', 'Отозвать приглашение'],
    done: ['Invitation withdrawn.', 'Приглашение отозвано.'],
    policy,
    audit: 'invitation_withdraw',
    kind: 'danger',
    from: ({ invitation }) => invitation !== null,
    run: async (_tx, { row: { id }, by, context: { db, merchantId } }) => {
      await takeInvitationBack(db, { id, merchantId, actor: actorOf(by) })
      return { isUnchanged: true, isGone: true }
    },
  })
