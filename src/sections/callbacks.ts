/** Callbacks to a merchant's server: what was sent, what was answered, and sending again. */
import { type AttemptRow, type CallbackState, eventTypes } from '../domain/callbacks/callback.ts'
import { sendTest } from '../domain/callbacks/delivery/send-test.ts'
import {
  type CallbackRow,
  countCallbacks,
  findCallback,
  listAttempts,
  listCallbacks,
  listPending,
  searchCallbacks,
} from '../domain/callbacks/list-store.ts'
import { replayCallback } from '../domain/callbacks/replay-callbacks.ts'
import { countFailed, replayFailed } from '../domain/callbacks/replay-store.ts'
import { sentHeaders } from '../domain/callbacks/sent-headers.ts'
import { bounds } from '../platform/bounds.ts'
import { foreign, link, number, state, text, time, words } from './cells.ts'
import { act, choices, section, sectionAct } from './declare.ts'
import { codePart, note, table } from './parts.ts'
import { developer, viewer } from './roles.ts'
import { both, type Cell, type Two } from './section.ts'
import { search } from './shared.ts'

const stateWords = {
  delivered: [['Delivered', 'Доставлен'], 'ok'],
  pending: [['Pending', 'Ожидает'], 'info'],
  failed: [['Failed', 'Не доставлен'], 'bad'],
} as const satisfies Record<CallbackState, readonly [Two, string]>

export const callbackStateCell = ({ state: value }: Pick<CallbackRow, 'state'>): Cell =>
  state(value, stateWords[value][0], stateWords[value][1])

const openStates = choices<'pending' | 'failed'>({
  pending: stateWords.pending[0],
  failed: stateWords.failed[0],
})

const errors: Readonly<Record<string, Two>> = {
  dns: [
    'host name not found, or its address is not allowed (dns)',
    'имя сервера не найдено или адрес недопустим (dns)',
  ],
  connect: ['no connection (connect)', 'не удалось соединиться (connect)'],
  tls: ['TLS failed (tls)', 'ошибка TLS (tls)'],
  timeout: ['no answer in time (timeout)', 'нет ответа за отведённое время (timeout)'],
  reset: ['connection reset (reset)', 'соединение разорвано (reset)'],
  invalid_answer: ['invalid HTTP response (invalid_answer)', 'недопустимый ответ HTTP (invalid_answer)'],
}

/** A merchant must not learn which names exist in the operator's network: an address in it is like an unknown name. */
const errorWords = (error: string): Two => errors[error === 'blocked_address' ? 'dns' : error] ?? both(error)

type Answer = { status: number | null; error: string | null; answer: string | null }

const answerCell = ({ status, error, answer }: Answer): Cell =>
  status === null
    ? error === null
      ? null
      : words(errorWords(error))
    : foreign(`${status}`, answer?.slice(0, 80) || undefined)

export const lastAnswer = ({ lastStatus, lastError, lastAnswer: answer }: CallbackRow): Cell =>
  answerCell({ status: lastStatus, error: lastError, answer })

/** Why a callback has not arrived, in one sentence; null where it has, or was not sent yet. */
export function undelivered(row: CallbackRow): Two | null {
  const { type, state, lastStatus, lastError, lastTimes: times } = row
  if (state === 'delivered' || times === null) return null
  const [was, byl] = state === 'failed' ? ['was not', 'не доставлен'] : ['is not yet', 'ещё не доставлен']
  const often = times === 1 ? 'once' : `${times} times`
  if (lastStatus === null) {
    const [en, ru] = lastError ? errorWords(lastError) : both('–')
    return [
      `${type} ${was} delivered: the server could not be reached ${often}: ${en}.`,
      `Колбэк ${type} ${byl}: связаться с сервером не удалось, попыток: ${times}: ${ru}.`,
    ]
  }
  const answer = (row.lastAnswer ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 80)
  const said = answer && ` '${answer}'`
  return [
    `${type} ${was} delivered: the server answered ${lastStatus}${said} ${often}.`,
    `Колбэк ${type} ${byl}: сервер ответил ${lastStatus}${said}, раз: ${times}.`,
  ]
}

export const attemptCount = ({ attempts, hasMoreAttempts }: CallbackRow): Cell =>
  hasMoreAttempts ? text(`${attempts}+`) : number(attempts)

const countedMost = 10_000
const counted = (count: number): Cell => (count > countedMost ? text(`${countedMost}+`) : number(count))

type Row = CallbackRow & { body?: string }
const onCallback = act<Row>()

export const callbacks = section<Row>()({
  one: 'callback',
  path: '/callbacks',
  name: ['Callbacks', 'Колбэки'],
  about: [
    'Every event of your deposits, numbered without gaps, and what your server answered. It can read the same events itself: GET /api/v1/events.',
    'Все события ваших депозитов с номерами без пропусков и ответы вашего сервера. Он может прочитать те же события сам: GET /api/v1/events.',
  ],
  empty: [
    ['No callbacks yet', 'Колбэков пока нет'],
    [
      'The first one is sent when a deposit is confirmed, rejected, canceled or expires.',
      'Первый уйдёт, когда депозит будет подтверждён, отклонён, отменён или истечёт.',
    ],
  ],
  read: viewer,
  isLive: true,
  columns: {
    event: { head: ['Event', 'Событие'], rank: 1, cell: (r) => text(r.type) },
    state: { rank: 1, cell: callbackStateCell },
    order: { rank: 2, cell: (r) => link('/deposits', r.depositId, r.orderId) },
    answer: { head: ['Last answer', 'Последний ответ'], rank: 2, cell: lastAnswer },
    attempts: { head: ['Attempts', 'Попытки'], rank: 2, is: 'number', cell: attemptCount },
    made_at: { head: ['Created', 'Создан'], rank: 2, cell: (r) => time(r.madeAt) },
    next: {
      head: ['Next attempt', 'Следующая попытка'],
      rank: 3,
      // Without an address nothing is sent, so the time would be misleading.
      cell: (r) =>
        r.dueAt && r.url === null ? words(['when a URL is set', 'когда будет адрес']) : time(r.dueAt),
    },
    number: { head: ['Number', 'Номер'], rank: 3, is: 'number', cell: (r) => number(Number(r.sequence)) },
  },
  filters: {
    q: search('Order, deposit ID or callback ID', 'Заказ, ID депозита или ID колбэка'),
    state: { is: 'choice', of: openStates },
    type: {
      head: ['Event', 'Событие'],
      is: 'choice',
      of: eventTypes.map((value) => ({ value, words: both(value) })),
    },
  },
  ids: /^[1-9]\d{0,17}$/,
  idOf: ({ sequence }) => String(sequence),
  subjectOf: ({ id }) => `callback:${id}`,
  title: ({ type, orderId }) => `${type} · ${orderId}`,
  pages: async ({ db, merchantId }, { chosen: { q, state, type }, after, limit }) => {
    const asked = { merchantId: merchantId!, state, type, limit }
    if (q) return { rows: await searchCallbacks(db, { ...asked, search: q }), next: null }
    if (state === 'pending') return { rows: await listPending(db, asked), next: null }
    const before = after && /^[1-9]\d{0,17}$/.test(after) ? BigInt(after) : null
    const { rows, next } = await listCallbacks(db, { ...asked, before })
    return { rows, next: next === null ? null : String(next) }
  },
  totals: async ({ db, merchantId }) => {
    const { failed, pending } = await countCallbacks(db, merchantId!, countedMost)
    return [
      [stateWords.failed[0], counted(failed)],
      [stateWords.pending[0], counted(pending)],
    ]
  },
  find: ({ db, merchantId }, id) => findCallback(db, merchantId!, BigInt(id)),
  facts: {
    id: (r) => text(r.id),
    to: { head: ['To', 'Куда'], cell: (r) => foreign(r.url) ?? words(['No URL set', 'Адрес не задан']) },
    delivered_at: { head: ['Delivered', 'Доставлен'], cell: (r) => time(r.ackedAt) },
  },
  parts: async ({ db, vault, merchantId }, row) => {
    const why = undelivered(row)
    const body = row.body ?? ''
    const [attempts, headers] = await Promise.all([
      listAttempts(db, row),
      sentHeaders({ db, vault }, merchantId!, { id: row.id, body }),
    ])
    const sent = Object.entries(attempts.length > 0 ? headers(attempts.at(-1)!.at) : {})
    return [
      why && note(row.state === 'failed' ? 'bad' : 'warn', why),
      table(
        attempts.length < bounds.attemptsRead
          ? ['Attempts', 'Попытки']
          : ['Last attempts', 'Последние попытки'],
        attempts.toReversed(),
        [
          [['When', 'Когда'], ({ at }) => time(at)],
          [['Result', 'Результат'], outcomeCell],
          [['Answer', 'Ответ'], answerCell],
          [['ms', 'мс'], ({ ms }) => number(ms), 'number'],
          // Nor may a merchant learn which address a name has in the operator's network.
          [
            ['Connected to', 'Соединение с'],
            ({ error, address }) => (error === 'blocked_address' ? null : text(address)),
          ],
        ],
      ),
      sent.length > 0 &&
        codePart(
          ['Headers of the last attempt', 'Заголовки последней попытки'],
          sent.map(([name, value]) => `${name}: ${value}`).join('\n'),
        ),
      codePart(['Body', 'Тело'], body),
    ]
  },
  acts: {
    replay: onCallback({
      name: ['Send again', 'Отправить снова'],
      effect: [
        'Sends the same body with the same ID again. Your server must handle the repetition.',
        'Отправит то же тело с тем же ID. Ваш сервер должен правильно обработать повтор.',
      ],
      done: ['Sending again.', 'Отправляется снова.'],
      policy: developer,
      audit: 'callback_replay',
      kind: 'primary',
      run: async (_tx, { row: { id: callbackId, sequence }, context }) => {
        await replayCallback(context.db, { merchantId: context.merchantId!, callbackId })
        context.changed()
        return { after: { sequence: String(sequence) } }
      },
    }),
  },
  sectionActs: {
    'replay-failed': sectionAct({
      name: ['Resend all failed', 'Отправить все недоставленные'],
      effect: [
        'Sends every callback again that was given up: the same bodies with the same IDs.',
        'Отправит снова все колбэки, попытки которых закончились: те же тела с теми же ID.',
      ],
      foresee: async ({ db, merchantId }) => {
        const count = await countFailed(db, { merchantId: merchantId!, since: null })
        return [`Failed callbacks found: ${count}.`, `Найдено недоставленных колбэков: ${count}.`]
      },
      done: (count) => [
        `Callbacks that are sent again: ${count}. This page shows how they arrive.`,
        `Отправляются снова: ${count}. На этой странице видно, как они доходят.`,
      ],
      policy: developer,
      audit: 'callbacks_replay',
      fields: {
        since: {
          head: ['Only those given up since', 'Только неудачи начиная с'],
          hint: ['Empty: all of them.', 'Пусто — все.'],
          is: 'day',
          isOptional: true,
        },
      },
      run: async (tx, { given, context: { merchantId, timeZone, changed } }) => {
        // PostgreSQL accepts a timestamp that ends with the name of its time zone.
        const since = given.since && `${given.since} 00:00 ${timeZone}`
        const count = await replayFailed(tx, { merchantId: merchantId!, since })
        changed()
        return { after: { since, replayed: count }, count, listed: { state: 'pending' } }
      },
    }),
    test: sectionAct({
      name: ['Send test callback', 'Тестовый колбэк'],
      effect: [
        'Sends a signed request of type “test” to your callback URL and shows what your server answers. It is not stored.',
        'Отправит на ваш адрес подписанный запрос типа «test» и покажет ответ сервера. Он не сохраняется.',
      ],
      done: ['Test callback sent.', 'Тестовый колбэк отправлен.'],
      policy: developer,
      audit: 'callback_test',
      run: async (_tx, { by }) => {
        const answer: { head: Two; text: string }[] = []
        by.after(async (outer) => {
          const sent = await sendTest(outer, outer.merchantId!)
          answer.push(
            'error' in sent
              ? {
                  head: ['Failed', 'Не удалось'],
                  text: errorWords(sent.error)[outer.language === 'ru' ? 1 : 0],
                }
              : { head: ['Answered', 'Ответ'], text: `${sent.status} ${sent.answer.slice(0, 200)}`.trim() },
            { head: ['Time', 'Время'], text: `${Math.round(sent.ms)} ms` },
          )
        })
        return { secret: answer, secretText: ['This is what your server did.', 'Вот что сделал ваш сервер.'] }
      },
    }),
  },
})

const outcomes: Readonly<Record<string, Two>> = {
  ok: ['Accepted', 'Принят'],
  retry: ['Failed, will retry', 'Не принят, повторим'],
  dead: ['Failed, no more retries', 'Не принят, попытки закончились'],
  probe: ['Failed, endpoint is down', 'Не принят, сервер недоступен'],
}

const outcomeCell = ({ outcome }: AttemptRow): Cell =>
  state(outcome, outcomes[outcome] ?? both(outcome), outcome === 'ok' ? 'ok' : 'bad')
