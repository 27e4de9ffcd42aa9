/** `inlet person …`: who may sign in. */

import { type Actor, disablePerson, invitePerson, resetPerson } from '../../domain/people/change-person.ts'
import { linkHours } from '../../domain/people/links/link.ts'
import { listInvitations } from '../../domain/people/links/store.ts'
import { merchantRoles, operatorRoles } from '../../domain/people/person.ts'
import { listPeople } from '../../domain/people/store.ts'
import { Refusal } from '../../platform/refusals.ts'
import { staffPath } from '../staff/paths.ts'
import type { Command } from './command.ts'
import { oneOf, optional, required, table, UsageProblem, uuid } from './options.ts'
import { readAll } from './read-all.ts'

const actor: Actor = { personId: null, name: 'command line', requestId: null }

const emailFrom = (word: string | undefined): string => {
  if (!word) throw new UsageProblem('An e-mail address is required.')
  return word
}

const linkTo = (publicUrl: string, token: string) => publicUrl + staffPath('/join/:token', token)

export const personCommands: Record<string, Command> = {
  'person invite': {
    usage: `inlet person invite EMAIL --name NAME (--operator ${operatorRoles.join('|')} | --merchant ID --role ${merchantRoles.join('|')})`,
    summary: 'invite a person: prints a one-time link',
    example: 'anna@shop.example --name Anna --merchant $MERCHANT --role owner',
    words: 1,
    async run({ db }, values, [word], { publicUrl }) {
      const merchant = optional(values, 'merchant')
      if ((values.operator === undefined) === (merchant === null))
        throw new UsageProblem('Say either --operator ROLE or --merchant ID --role ROLE.')
      const { person, token } = await invitePerson(db, {
        email: emailFrom(word),
        name: required(values, 'name'),
        operatorRole: merchant ? null : oneOf(values, 'operator', operatorRoles),
        membership: merchant
          ? { merchantId: uuid(merchant, '--merchant'), role: oneOf(values, 'role', merchantRoles) }
          : null,
        actor,
      })
      const link = linkTo(publicUrl, token)
      return {
        json: { person: person.id, email: person.email, link },
        text: `${link}\nIt works once, within ${linkHours.invitation} hours. The person has access once they have accepted it.`,
      }
    },
  },
  'person reset': {
    usage: 'inlet person reset EMAIL',
    summary:
      'reset access: prints a one-time link; when it is used, the old password and second factor stop working',
    example: 'anna@shop.example',
    words: 1,
    async run({ db }, _values, [word], { publicUrl }) {
      const link = linkTo(publicUrl, await resetPerson(db, emailFrom(word), actor))
      return {
        json: { link },
        text: `${link}\nIt works once, within 24 hours. Until it is used, the old password and second factor still work.`,
      }
    },
  },
  'person disable': {
    usage: 'inlet person disable EMAIL [--undo]',
    summary: 'sign a person out everywhere and disable their access',
    example: 'anna@shop.example',
    words: 1,
    async run({ db }, values, [word]) {
      const email = emailFrom(word)
      await disablePerson(db, email, values.undo !== true, actor)
      return {
        json: { email, disabled: values.undo !== true },
        text: `${email} ${values.undo === true ? 'enabled' : 'disabled'}`,
      }
    },
  },
  'person list': {
    usage: 'inlet person list [--merchant ID]',
    summary: 'people and their roles',
    example: '--merchant $MERCHANT',
    async run({ db }, values) {
      const merchant = optional(values, 'merchant')
      const merchantId = merchant && uuid(merchant, '--merchant')
      const [people, invitations] = await Promise.all([
        readAll((page) => listPeople(db, merchantId, page)),
        readAll((page) => listInvitations(db, merchantId, page)),
      ])
      if (merchant && people.length + invitations.length === 0)
        throw new Refusal('not_found', { detail: 'Nobody has access to this merchant.' })
      const invited = table(
        ['invited', 'name', 'operator', 'merchant', 'role', 'works until'],
        invitations.map((row) => [
          row.email,
          row.name,
          row.operatorRole,
          row.merchantName,
          row.merchantRole,
          row.expiresAt.toISOString(),
        ]),
      )
      return {
        json: { people, invitations },
        text: `${table(
          ['email', 'name', 'operator', 'merchants', 'second factor', 'last seen', 'disabled'],
          people.map((row) => [
            row.email,
            row.name,
            row.operatorRole,
            row.memberships.map(({ merchantName, role }) => `${merchantName} (${role})`).join(', ') || null,
            row.hasTotp ? 'code' : row.passkeys > 0 ? 'passkey' : null,
            row.lastSeenAt?.toISOString() ?? null,
            row.disabledAt?.toISOString() ?? null,
          ]),
        )}${invitations.length > 0 ? `\n\n${invited}` : ''}`,
      }
    },
  },
}
