/** The endpoints of a merchant's callbacks: its own URL, and hosts that its requests named. A paused one loses nothing. */
import { isOperatorPause, operatorPause } from '../domain/callbacks/delivery/lane.ts'
import {
  type Endpoint,
  findEndpointOf,
  listEndpoints,
  lockEndpoint,
  pauseLane,
  resumeLane,
} from '../domain/callbacks/endpoint-store.ts'
import { message } from '../domain/messages/message.ts'
import { findPerson } from '../domain/people/store.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../platform/refusals.ts'
import { foreign, state, time, words } from './cells.ts'
import { act, section } from './declare.ts'
import { developer, viewer } from './roles.ts'
import type { By, Context, Two } from './section.ts'

const states: Readonly<Record<string, Two>> = {
  active: ['Sending', 'Отправка'],
  waiting: ['No URL', 'Нет адреса'],
  paused: ['Paused', 'Приостановлен'],
}

const reasons: Readonly<Record<string, Two>> = {
  answered_410: ['endpoint answered 410 Gone', 'сервер ответил 410 Gone'],
  failing_120_hours: ['failing for five days', 'ошибки пять дней подряд'],
}

const onEndpoint = act<Endpoint>()

export const endpoints = section<Endpoint>()({
  one: 'endpoint',
  path: '/endpoints',
  name: ['Endpoints', 'Получатели'],
  about: [
    'Where callbacks go. While an endpoint is paused, nothing is sent to it and nothing is lost: they go out when you resume.',
    'Куда уходят колбэки. Пока получатель приостановлен, ничего не отправляется и не теряется: колбэки уйдут, когда вы возобновите отправку.',
  ],
  empty: [
    ['No endpoints yet', 'Получателей пока нет'],
    ['Set a callback URL in the settings.', 'Задайте адрес колбэков в настройках.'],
  ],
  read: viewer,
  isLive: true,
  columns: {
    origin: {
      head: ['Endpoint', 'Получатель'],
      rank: 1,
      cell: (r) => foreign(r.origin) ?? words(['Your URL', 'Ваш адрес']),
    },
    state: {
      rank: 1,
      cell: (r) => state(r.state, states[r.state]!, r.state === 'active' && !r.failingSince ? 'ok' : 'warn'),
    },
    reason: {
      head: ['Why', 'Почему'],
      rank: 2,
      cell: ({ reason }) =>
        isOperatorPause(reason)
          ? [
              foreign(reason),
              words(['Only the operator can resume it.', 'Возобновить может только оператор.']),
            ]
          : reason && reasons[reason]
            ? words(reasons[reason])
            : foreign(reason),
    },
    failing_since: { head: ['Failing since', 'Ошибки с'], rank: 2, cell: (r) => time(r.failingSince) },
  },
  idOf: ({ id }) => String(id),
  title: ({ origin }) => origin ?? ['Your URL', 'Ваш адрес'],
  all: ({ db, merchantId }) => listEndpoints(db, merchantId!),
  ids: /^[1-9]\d{0,17}$/,
  find: ({ db, merchantId }, id) => findEndpointOf(db, merchantId!, BigInt(id)),
  acts: {
    pause: onEndpoint({
      name: ['Pause', 'Приостановить'],
      effect: ['Holds its callbacks; nothing is lost.', 'Колбэки подождут; ничего не потеряется.'],
      done: ['Paused. Nothing is lost.', 'Приостановлено. Ничего не потеряется.'],
      policy: developer,
      audit: 'callbacks_pause',
      from: ({ state }) => state !== 'paused',
      fields: {
        why: { head: ['Why', 'Почему'], is: 'text', most: 200, isOptional: true },
      },
      run: (tx, { row, given, by, context }) =>
        changed(tx, { row, by, context }, (isOperator) => {
          const why = given.why ? `: ${given.why}` : ''
          return pauseLane(tx, row.id, isOperator ? operatorPause(given.why ?? '–') : `by ${by.email}${why}`)
        }),
    }),
    resume: onEndpoint({
      name: ['Resume', 'Возобновить'],
      effect: ['Sends its callbacks again.', 'Колбэки снова будут отправляться.'],
      done: ['Sending resumed.', 'Отправка возобновлена.'],
      policy: developer,
      audit: 'callbacks_resume',
      kind: 'primary',
      from: ({ state }) => state === 'paused',
      run: (tx, { row, by, context }) => changed(tx, { row, by, context }, () => resumeLane(tx, row.id)),
    }),
  },
})

/** A pause of the operator's is not the merchant's to end or to change. */
async function changed(
  tx: Tx,
  { row, by, context }: { row: Endpoint; by: By; context: Context },
  change: (isOperator: boolean) => Promise<void>,
) {
  const { id, origin, state, reason } = await lockEndpoint(tx, row.id)
  const person = by.personId === null ? undefined : await findPerson(tx, by.personId)
  const isOperator = (person?.operatorRole ?? null) !== null
  if (isOperatorPause(reason) && !isOperator)
    throw new Refusal('state_conflict', { detail: message('endpoint_paused_by_operator') })
  await change(isOperator)
  context.changed()
  return { before: { id: String(id), state, reason }, after: { origin } }
}
