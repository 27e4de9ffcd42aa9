/** The people of the desk, and everybody else with an account: invited, given a role, disabled, reset. */
import { addsRights, isAccessGuarded } from '../domain/approvals/guard.ts'
import { message } from '../domain/messages/message.ts'
import { type AccessRow, findAccess, listAccess } from '../domain/people/access-list.ts'
import {
  changeOperatorRole,
  disablePerson,
  invitePerson,
  lockInvitee,
  lockPersonByEmail,
  resetPerson,
} from '../domain/people/change-person.ts'
import { hasJoined, type OperatorRole, type Person } from '../domain/people/person.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import {
  accessColumns,
  accessFilters,
  actorOf,
  inviteFields,
  linkOf,
  linkText,
  roleCell,
  withdrawAct,
} from './access.ts'
import { approvalRuleNotes } from './approval-rule-notes.ts'
import { link, state } from './cells.ts'
import { act, choices, section, sectionAct } from './declare.ts'
import { admin, read } from './roles.ts'
import type { By, Two } from './section.ts'

const roles = {
  auditor: ['Auditor: read-only access', 'Аудитор: только просмотр'],
  operator: [
    'Operator: queue, statements, emergency stops',
    'Оператор: очередь, выписки, экстренная остановка',
  ],
  approver: ['Approver: approves requests of others', 'Согласующий: согласует запросы других'],
  admin: ['Admin: merchants, people, settings', 'Администратор: мерчанты, сотрудники, настройки'],
} as const satisfies Record<OperatorRole, Two>

const atMerchant = {
  viewer: ['viewer', 'просмотр'],
  developer: ['developer', 'разработчик'],
  owner: ['owner', 'владелец'],
} as const

/** Nobody changes their own access, and nobody what another admin changes at this moment. */
async function lockOther(tx: Tx, { email, person }: AccessRow, { personId }: By): Promise<Person> {
  const now = await lockPersonByEmail(tx, email)
  if (now.id === personId) throw new Refusal('state_conflict', { detail: message('own_access_stays') })
  if (now.operatorRole !== person?.operatorRole || (now.disabledAt === null) !== (person.disabledAt === null))
    throw new Refusal('state_conflict', { detail: message('person_changed_since_proposed') })
  return now
}

/** The person to invite, created if nobody has the address yet. */
async function lockInvited(tx: Tx, given: { email: string; name: string }): Promise<Person> {
  const person = await lockInvitee(tx, given)
  const refuse = (code: 'person_has_desk_role_already' | 'person_is_disabled') =>
    new Refusal('state_conflict', { detail: message(code) })
  if (person.operatorRole) throw refuse('person_has_desk_role_already')
  if (person.disabledAt) throw refuse('person_is_disabled')
  return person
}

const onPerson = act<AccessRow>()
const isPerson = ({ person }: AccessRow): boolean => person !== null
const isOn = ({ person }: AccessRow): boolean => person !== null && person.disabledAt === null
const isAtDesk = ({ person }: AccessRow): boolean => person?.operatorRole != null
const placesOf = ({ person, invitation }: AccessRow) =>
  person?.memberships ??
  (invitation?.merchantId
    ? [
        {
          merchantId: invitation.merchantId,
          merchantName: invitation.merchantName!,
          role: invitation.merchantRole!,
        },
      ]
    : [])
const access = ({ person }: AccessRow) => ({
  role: person?.operatorRole ?? '',
  state: person?.disabledAt ? 'off' : 'on',
})

export const people = section<AccessRow>()({
  one: 'person',
  path: '/people',
  name: ['People', 'Сотрудники'],
  about: [
    'Removing rights takes effect immediately. Giving more rights needs approval, and so does enabling or resetting the access of people of live merchants and of anybody who has or had a role at the desk.',
    'Отзыв прав действует сразу. Расширение прав требует согласования. Включение и сброс доступа тоже, если это сотрудник боевого мерчанта или у него есть либо была роль на рабочем месте оператора.',
  ],
  empty: [
    ['Nobody yet', 'Пока никого нет'],
    ['Invite the first person.', 'Пригласите первого сотрудника.'],
  ],
  read,
  columns: {
    name: accessColumns.name,
    state: accessColumns.state,
    role: {
      head: ['Role', 'Роль'],
      rank: 2,
      cell: ({ person, invitation }) => {
        const role = person?.operatorRole ?? invitation?.operatorRole
        return role ? roleCell(roles, role) : null
      },
    },
    merchants: {
      head: ['Merchants', 'Мерчанты'],
      rank: 2,
      cell: (row) => {
        const places = placesOf(row)
        return places.length === 0
          ? null
          : places.map(({ merchantId, merchantName, role }) => [
              link('/merchants', merchantId, merchantName),
              state(role, atMerchant[role]),
            ])
      },
    },
    factor: accessColumns.factor,
    seen: accessColumns.seen,
    until: accessColumns.until,
  },
  filters: accessFilters,
  idOf: ({ id }) => id,
  subjectOf: ({ id }) => `person:${id}`,
  title: ({ name }) => name,
  pages: ({ db }, { chosen, ...page }) => listAccess(db, null, { only: chosen.show, ...page }),
  notes: (context) => approvalRuleNotes(context),
  ids: /./,
  find: ({ db }, id) => findAccess(db, null, id),
  acts: {
    role: onPerson({
      name: ['Change role', 'Изменить роль'],
      effect: [
        'Fewer rights take effect immediately; more rights wait for a second person.',
        'Сужение прав действует сразу, расширение ждёт второго сотрудника.',
      ],
      done: ['Role changed.', 'Роль изменена.'],
      policy: admin,
      audit: 'person_role',
      isGuard: true,
      from: isAtDesk,
      fields: {
        role: {
          head: ['Role', 'Роль'],
          is: 'choice',
          of: choices<OperatorRole>(roles),
          value: ({ person }) => person?.operatorRole ?? '',
        },
      },
      seen: access,
      second: async (tx, { row, given, by }) => {
        const { operatorRole, disabledAt } = await lockOther(tx, row, by)
        const isMore = addsRights(operatorRole, given.role)
        if (isMore && disabledAt)
          throw new Refusal('state_conflict', { detail: message('person_is_disabled') })
        return isMore
      },
      run: async (tx, { row, given, by }) => {
        await lockOther(tx, row, by)
        await changeOperatorRole(tx, row.email, given.role, actorOf(by))
        return { isUnchanged: true }
      },
    }),
    leave: onPerson({
      name: ['End access to the desk', 'Закрыть рабочее место'],
      effect: [
        'Takes the role at the desk away, immediately. Access to merchants stays.',
        'Роль на рабочем месте снимается сразу. Доступ к мерчантам сохраняется.',
      ],
      policy: admin,
      audit: 'person_role',
      from: isAtDesk,
      run: async (tx, { row, by }) => {
        await lockOther(tx, row, by)
        await changeOperatorRole(tx, row.email, null, actorOf(by))
        return { isUnchanged: true }
      },
    }),
    reset: onPerson({
      name: ['Reset access', 'Сбросить доступ'],
      effect: [
        'Makes a one-time link. Once it is used, the old password and second factor stop working.',
        'Создаёт одноразовую ссылку. После перехода по ней прежние пароль и второй фактор перестанут работать.',
      ],
      policy: admin,
      audit: 'person_reset',
      isGuard: true,
      from: isOn,
      seen: access,
      second: async (tx, { row, by }) => {
        const person = await lockOther(tx, row, by)
        if (!hasJoined(person))
          throw new Refusal('state_conflict', { detail: message('person_not_joined_yet') })
        return isAccessGuarded(person, row.person!.memberships)
      },
      run: async (tx, { row, by, context }) => {
        await lockOther(tx, row, by)
        const token = await resetPerson(context.db, row.email, actorOf(by))
        return { isUnchanged: true, secret: linkOf(context, token), secretText: linkText }
      },
    }),
    disable: onPerson({
      name: ['Disable access', 'Отключить доступ'],
      effect: ['Signs the person out everywhere, immediately.', 'Завершает все сеансы сотрудника, сразу.'],
      policy: admin,
      audit: 'person_disable',
      kind: 'danger',
      from: isOn,
      run: async (tx, { row, by, context }) => {
        await lockOther(tx, row, by)
        await disablePerson(context.db, row.email, true, actorOf(by))
        return { isUnchanged: true }
      },
    }),
    enable: onPerson({
      name: ['Enable access', 'Включить доступ'],
      policy: admin,
      audit: 'person_enable',
      isGuard: true,
      from: (row) => isPerson(row) && !isOn(row),
      seen: access,
      second: async (tx, { row, by }) =>
        isAccessGuarded(await lockOther(tx, row, by), row.person!.memberships),
      run: async (tx, { row, by, context }) => {
        await lockOther(tx, row, by)
        await disablePerson(context.db, row.email, false, actorOf(by))
        return { isUnchanged: true }
      },
    }),
    withdraw: withdrawAct(admin),
  },
  sectionActs: {
    invite: sectionAct({
      name: ['Invite a person', 'Пригласить сотрудника'],
      effect: [
        'A second person approves the invitation and gets a one-time link to pass on. It works for 72 hours.',
        'Приглашение согласует второй сотрудник: он получит одноразовую ссылку и передаст её. Ссылка действует 72 часа.',
      ],
      policy: admin,
      audit: 'person_invite',
      isGuard: true,
      kind: 'primary',
      fields: inviteFields<OperatorRole>(roles),
      subject: async (tx, { given }) => `person:${(await lockInvited(tx, given)).id}`,
      second: () => true,
      run: async (tx, { given: { email, name, role }, by, context }) => {
        const invited = await lockInvited(tx, { email, name })
        const asked = { email, name, operatorRole: role, membership: null, actor: actorOf(by) }
        const { token } = await invitePerson(context.db, asked)
        return {
          isUnchanged: true,
          secret: linkOf(context, token),
          secretText: hasJoined(invited)
            ? [
                `${linkText[0]} An account with this email already exists. The link resets it: the old password and second factor stop working. Access to merchants stays.`,
                `${linkText[1]} Учётная запись с этим адресом уже есть. Ссылка сбросит доступ: прежние пароль и второй фактор перестанут работать. Доступ к мерчантам сохранится.`,
              ]
            : linkText,
        }
      },
    }),
  },
})
