/**
 * `inlet person …` without a named person: while nobody is there who could approve an invitation, and for somebody who lost a
 * factor or must lose access. Each of them stands in the audit log and raises the alarm. All else is done by a named person: see section-commands.ts.
 */

import { type Actor, disablePerson, invitePerson, resetPerson } from '../../domain/people/change-person.ts'
import { linkHours } from '../../domain/people/links/link.ts'
import { operatorRoles } from '../../domain/people/person.ts'
import { hasTwoDeciders } from '../../domain/people/store.ts'
import { staffPath } from '../staff/paths.ts'
import type { Command } from './command.ts'
import { oneOf, required, UsageProblem } from './options.ts'
import { sectionCommands } from './section-commands.ts'

const actor: Actor = { personId: null, name: 'command line', requestId: null }

const emailFrom = (word: string | undefined): string => {
  if (!word) throw new UsageProblem('An e-mail address is required.')
  return word
}

const linkTo = (publicUrl: string, token: string) => publicUrl + staffPath('/join/:token', token)

export const personCommands: Record<string, Command> = {
  'person invite': {
    usage: `inlet person invite EMAIL --name NAME --operator ${operatorRoles.join('|')} [--by EMAIL --reason TEXT]`,
    summary: 'invite a person to the desk; --by is not needed while fewer than two could approve it',
    example: 'anna@inlet.example --name Anna --operator admin',
    words: 1,
    async run(foundation, values, [word], config, ...terminal) {
      const email = emailFrom(word)
      const invite = sectionCommands['person invite']!
      if (values.by !== undefined && 'run' in invite)
        return invite.run(
          foundation,
          { ...values, email, role: required(values, 'operator') },
          [],
          config,
          ...terminal,
        )
      if (await hasTwoDeciders(foundation.db))
        throw new UsageProblem(
          'Two people at the desk can approve this: say who invites, with --by EMAIL and --reason TEXT.',
        )
      const { person, token } = await invitePerson(foundation.db, {
        ...{ email, name: required(values, 'name'), membership: null, actor },
        operatorRole: oneOf(values, 'operator', operatorRoles),
      })
      const link = linkTo(config.publicUrl, token)
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
    usage: 'inlet person disable EMAIL',
    summary: 'sign a person out everywhere and disable their access',
    example: 'anna@shop.example',
    words: 1,
    async run({ db }, _values, [word]) {
      const email = emailFrom(word)
      await disablePerson(db, email, true, actor)
      return { json: { email, disabled: true }, text: `${email} disabled` }
    },
  },
}
