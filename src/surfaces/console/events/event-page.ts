/** The event feed as a page, newest first. */

import { apiPath } from '../../api/paths.ts'
import { pager, shortId, timeOf } from '../../staff/frame.ts'
import { html } from '../../web/html.ts'
import { code, empty, table } from '../../web/pieces.ts'
import { type ConsoleContext, merchantPage, wordsOf } from '../frame.ts'
import { consolePath } from '../paths.ts'
import type { EventRow } from '../rows.ts'

export function eventPage(
  context: ConsoleContext,
  { lines, older, isFirst }: { lines: readonly EventRow[]; older: bigint | null; isFirst: boolean },
) {
  const { events: words, callbacks, sections } = wordsOf(context)
  const here = consolePath('/events', context.merchant.id)
  return merchantPage(context, {
    title: sections.events,
    section: 'events',
    isLive: true,
    body: html`<p class="reading">${words.text} <code>GET ${apiPath('/events')}?after=N</code>.</p>
${
  lines.length === 0
    ? isFirst && empty(words.emptyTitle, words.emptyText)
    : html`<div class="compact">${table(
        sections.events,
        [
          { head: callbacks.number, is: 'number' },
          callbacks.event,
          callbacks.madeAt,
          callbacks.deposit,
          { head: words.body, is: 'long' },
        ],
        lines.map((line) => [
          html`<a href="${consolePath('/callbacks/:number', context.merchant.id, line.sequence)}">${line.sequence}</a>`,
          line.type,
          timeOf(context, line.madeAt),
          html`<a href="${consolePath('/deposits/:id', context.merchant.id, line.depositId)}"><bdi>${orderIn(line.body) ?? shortId(line.depositId)}</bdi></a>`,
          html`<details><summary>${words.body}</summary>${code(pretty(line.body))}</details>`,
        ]),
      )}</div>`
}
${pager(context, { newest: isFirst ? null : here, older: older === null ? null : `${here}?before=${older}` })}`,
  })
}

const orderIn = (body: string): string | undefined => JSON.parse(body).data?.external_id

const pretty = (body: string): string => JSON.stringify(JSON.parse(body), null, 2)
