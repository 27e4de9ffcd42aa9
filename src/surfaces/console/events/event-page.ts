/** The feed of events as a person reads it: newest first. */

import { apiPath } from '../../api/paths.ts'
import { pager, shortId, timeOf } from '../../staff/frame.ts'
import { html } from '../../web/html.ts'
import { code, empty, table } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'

export type EventLine = { sequence: bigint; type: string; depositId: string; madeAt: Date; body: string }

export function eventPage(
  of: ConsoleContext,
  { lines, older, isFirst }: { lines: readonly EventLine[]; older: bigint | null; isFirst: boolean },
) {
  const { events: words, callbacks, sections } = wordsOf(of)
  const here = consolePath('/events', of.merchant.id)
  return merchantPage(of, {
    title: sections.events,
    section: 'events',
    isLive: true,
    body: html`<p class="reading">${words.text} <code>GET ${apiPath('/events')}?after=N</code>.</p>
${
  lines.length === 0
    ? isFirst && empty(words.emptyTitle, words.emptyText)
    : table(
        sections.events,
        [
          { head: callbacks.number, is: 'number' },
          callbacks.event,
          callbacks.madeAt,
          callbacks.deposit,
          { head: words.body, is: 'long' },
        ],
        lines.map((line) => [
          html`<a href="${consolePath('/callbacks/:number', of.merchant.id, line.sequence)}">${line.sequence}</a>`,
          line.type,
          timeOf(of, line.madeAt),
          html`<a href="${consolePath('/deposits/:id', of.merchant.id, line.depositId)}">${shortId(line.depositId)}</a>`,
          html`<details><summary>${words.body}</summary>${code(pretty(line.body))}</details>`,
        ]),
      )
}
${pager(of, { newest: isFirst ? null : here, older: older === null ? null : `${here}?before=${older}` })}`,
  })
}

const pretty = (body: string): string => JSON.stringify(JSON.parse(body), null, 2)
