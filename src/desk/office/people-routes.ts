/** The desk's own people and the settings of approval over HTTP: an admin's work, all of it dangerous. */
import { changeApprovalSettings } from '../../approvals/change-settings.ts'
import type { ApprovalSettings } from '../../approvals/proposal.ts'
import { readApprovalSettings } from '../../approvals/store.ts'
import { currencies } from '../../money.ts'
import {
  type Actor,
  changeOperatorRole,
  disablePerson,
  invitePerson,
  resetPerson,
  takeInvitationBack,
} from '../../people/change-person.ts'
import type { KnownVisit } from '../../people/doors.ts'
import { listInvitations } from '../../people/links/store.ts'
import { emailOf, hasJoined, operatorRoles } from '../../people/person.ts'
import { listPeople } from '../../people/store.ts'
import { isUuid } from '../../platform/request-fields.ts'
import { Refusal } from '../../refusals.ts'
import { centsFrom } from '../cases/list-pages.ts'
import { admins, everybody } from '../frame.ts'
import { type DeskTools, deciderOf, deskOf, perform, reasonOf, show } from '../visit.ts'
import { linkPage, peoplePage, settingsPage } from './office-pages.ts'
import { officeWords } from './words.ts'

const read = { for: 'operator', roles: everybody } as const
const admin = { for: 'operator', roles: admins, isFresh: true } as const

export function peopleDeskRoutes(tools: DeskTools): void {
  const { doors, ledger, publicUrl } = tools
  const { db } = ledger
  const linkTo = (token: string) => `${publicUrl}/join/${token}`

  doors.get('/operator/people', read, async (visit) => {
    const [desk, people, invitations] = await Promise.all([
      deskOf(tools, visit),
      listPeople(db, null),
      listInvitations(db, null),
    ])
    return show(visit, peoplePage(desk, { people, invitations }))
  })

  doors.post('/operator/people/invite', admin, (visit) =>
    perform(tools, visit, 'people', async () => {
      const operatorRole = operatorRoles.find((one) => one === visit.field('role'))
      if (!operatorRole) throw new Refusal('invalid_value')
      refuseOneself(visit)
      const { person, token } = await invitePerson(db, {
        email: visit.field('email'),
        name: visit.field('name'),
        operatorRole,
        membership: null,
        actor: personsActor(visit),
      })
      const isAnew = hasJoined(person) && !person.operatorRole
      const view = { email: person.email, link: linkTo(token), isReset: false, isAnew }
      return show(visit, linkPage(await deskOf(tools, visit), view))
    }),
  )

  doors.post('/operator/people/reset', admin, (visit) =>
    perform(tools, visit, 'people', async () => {
      refuseOneself(visit)
      const email = visit.field('email')
      const token = await resetPerson(db, email, personsActor(visit))
      const view = { email: emailOf(email), link: linkTo(token), isReset: true, isAnew: false }
      return show(visit, linkPage(await deskOf(tools, visit), view))
    }),
  )

  doors.post('/operator/people/role', admin, (visit) =>
    perform(tools, visit, 'people', async () => {
      refuseOneself(visit)
      const text = visit.field('role')
      const role = operatorRoles.find((one) => one === text) ?? null
      if (!role && text !== '') throw new Refusal('invalid_value')
      await changeOperatorRole(db, visit.field('email'), role, personsActor(visit))
      return { to: '/operator/people', notice: 'saved' }
    }),
  )

  doors.post('/operator/people/withdraw', admin, (visit) =>
    perform(tools, visit, 'people', async () => {
      const id = visit.field('id')
      if (!isUuid(id)) throw new Refusal('not_found')
      await takeInvitationBack(db, { id, merchantId: null, actor: personsActor(visit) })
      return { to: '/operator/people', notice: 'saved' }
    }),
  )

  for (const [word, isDisabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    doors.post(`/operator/people/${word}`, admin, (visit) =>
      perform(tools, visit, 'people', async () => {
        refuseOneself(visit)
        await disablePerson(db, visit.field('email'), isDisabled, personsActor(visit))
        return { to: '/operator/people', notice: 'saved' }
      }),
    )
  }

  doors.get('/operator/settings', read, async (visit) => {
    const [desk, settings] = await Promise.all([deskOf(tools, visit), readApprovalSettings(db)])
    return show(visit, settingsPage(desk, settings))
  })

  doors.post('/operator/settings/save', admin, (visit) =>
    perform(tools, visit, 'settings', async () => {
      const settings = settingsIn(visit)
      await changeApprovalSettings(db, { settings, by: deciderOf(visit), reason: reasonOf(visit) })
      return { to: '/operator/settings', notice: 'saved' }
    }),
  )
}

/** Who could take their own role away, or lock themselves out, needs a second admin for it. */
function refuseOneself(visit: KnownVisit): void {
  if (emailOf(visit.field('email')) === visit.visitor.person.email)
    throw new Refusal('state_conflict', {
      detail: `${visit.field('email')}: ${officeWords[visit.language].yourself}.`,
    })
}

const personsActor = ({ visitor, seat }: KnownVisit): Actor => ({
  personId: visitor.person.id,
  name: visitor.person.email,
  requestId: seat.requestId,
})

function settingsIn(visit: KnownVisit): ApprovalSettings {
  const above = currencies.flatMap((currency) => {
    const text = visit.field(`above-${currency}`)
    if (text === '') return []
    const cents = centsFrom(text)
    if (cents === null)
      throw new Refusal('invalid_value', { detail: `${currency}: ${officeWords[visit.language].aboveHint}` })
    return [[currency, cents.toString()] as const]
  })
  return { isSingleOperator: visit.field('single') === 'on', secondPersonAbove: Object.fromEntries(above) }
}
