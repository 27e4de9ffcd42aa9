/** What the operator's overview says: the queue by age, silent banks, requisites near their limits, failing shops. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { OpenDays } from '../../../domain/transfers/voice.ts'
import { numberFormat } from '../../../platform/intl.ts'
import { sum } from '../../../platform/sum.ts'
import { admin } from '../../../sections/roles.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import { sourceWords } from '../../../sections/voices.ts'
import { durationText, type OfficeContext, waitOf } from '../../office/context.ts'
import type { AttentionItem, OverviewView, overviewPage } from '../../office/overview/overview-page.ts'
import { dayOf, moneyOf } from '../../staff/frame.ts'
import { html, type Markup } from '../../web/html.ts'
import { panel, table } from '../../web/pieces.ts'
import { deskPath } from '../paths.ts'
import { queueAt, wholeQueue } from '../queue/filter.ts'
import { countedText, type QueueAge } from '../queue/queue.ts'
import { kindWords, queueWords } from '../queue/words.ts'
import type { FailingShop, Installed, LoadedLine, SilentLine } from './rows.ts'
import { overviewWords as words } from './words.ts'

type DeskOverview = {
  mode: Mode
  installed: Installed
  ages: readonly QueueAge[]
  deposits: OverviewView['deposits']
  sources: readonly SilentLine[]
  accounts: readonly SilentLine[]
  /** Accounts with days that no file has closed. */
  open: readonly OpenDays[]
  loaded: readonly LoadedLine[]
  failing: readonly FailingShop[]
}

export function deskOverview(office: OfficeContext, view: DeskOverview): OverviewView {
  const { mode, ages } = view
  const { pathOf } = office.place
  const text = (...numbers: number[]) => countedText(office.language, ...numbers) || '0'
  return {
    about: modeTabs(office, view),
    figures: [
      { name: words.inQueue, href: deskPath('/'), text: text(...ages.map(({ count }) => count)) },
      {
        name: words.toApprove,
        href: `${pathOf('/approvals')}?state=open`,
        text: text(sum(ages.map(({ kind, count }) => (kind === 'proposal' ? count : 0)))),
      },
    ],
    deposits: view.deposits,
    listAt: (day) => `${pathOf('/deposits')}?${new URLSearchParams({ created: day, mode })}`,
    attention: attentionOf(office, view),
    more: queuePanel(office, ages),
  }
}

/** Money of tests and real money are never counted together. */
function modeTabs({ language }: OfficeContext, { mode, installed }: DeskOverview): Markup | null {
  if (!installed.hasLive || !installed.hasTest) return null
  return html`<nav class="tabs" aria-label="${inLanguage(words.mode, language)}">${(
    ['live', 'test'] as const
  ).map(
    (one) =>
      html`<a href="${deskPath('/overview')}?mode=${one}" aria-current="${one === mode ? 'page' : 'false'}">${inLanguage(words.modes[one], language)}</a>`,
  )}</nav>`
}

function queuePanel(office: OfficeContext, ages: readonly QueueAge[]): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const waiting = ages.flatMap(({ kind, count, since }) => (since ? [{ kind, count, since }] : []))
  if (waiting.length === 0) return html``
  return panel(
    say(queueWords.title),
    table(
      say(queueWords.title),
      [say(words.kind), { head: say(words.waiting), rank: 1, is: 'number' }, say(words.oldest)],
      waiting
        .toSorted((left, right) => left.since.getTime() - right.since.getTime())
        .map(({ kind, count, since }) => [
          html`<a href="${queueAt({ ...wholeQueue, kind })}">${say(kindWords[kind])}</a>`,
          countedText(office.language, count),
          waitOf(office, since),
        ]),
    ),
  )
}

function attentionOf(office: OfficeContext, view: DeskOverview): AttentionItem[] {
  const say = (words: Two) => inLanguage(words, office.language)
  const { language, now, place } = office
  const row = (path: string, id: string) => `${place.pathOf(path)}/${id}`
  const since = (at: Date | null) =>
    say(at ? words.since(durationText(office, (now.getTime() - at.getTime()) / 1000)) : words.never)
  const percent = (used: number) => numberFormat(language, { style: 'percent' }).format(used)
  return [
    ...view.sources.map(({ id, name, since: at }) => ({
      ...{ tone: 'bad' as const, href: row('/sources', id) },
      ...{ text: say(words.silentSource(name)), more: since(at) },
    })),
    ...view.failing.map(({ merchantId, name, origin, isPaused, since: at }) => ({
      ...{ tone: isPaused ? ('bad' as const) : ('warn' as const), href: row('/merchants', merchantId) },
      text: say(isPaused ? words.paused(name) : words.fails(name)),
      more: html`${at && since(at)} ${origin && html`<bdi>${origin}</bdi>`}`,
    })),
    ...view.accounts.map(({ id, name, since: at }) => ({
      ...{ tone: 'warn' as const, href: row('/accounts', id) },
      ...{ text: say(words.silentAccount(name)), more: since(at) },
    })),
    ...view.open.map((account) => ({
      ...{ tone: 'warn' as const, href: row('/accounts', account.accountId) },
      text: say(words.openDays(account.label)),
      more: html`${say(words.openSince(say(sourceWords(account))))} ${dayOf(office, account.firstOpenDay)}`,
    })),
    ...view.loaded.map((line) => ({
      ...{ tone: 'info' as const, href: row('/requisites', line.id) },
      text: say(words.loaded(`${line.bankName} •••• ${line.digits}`, percent(line.used))),
      more: [
        line.dailyCents !== null &&
          `${moneyOf(office, line.dayCents, line.currency)} / ${moneyOf(office, line.dailyCents, line.currency)}`,
        line.openLimit !== null && `${say(words.openNow)}: ${line.open} / ${line.openLimit}`,
      ]
        .filter(Boolean)
        .join(' · '),
    })),
  ]
}

export function deskSteps(
  { place, isOpen }: OfficeContext,
  installed: Installed,
): Extract<Parameters<typeof overviewPage>[1], { steps: unknown }>['steps'] {
  // People who may not do a step get no link to it.
  const link = (path: string) => (isOpen(admin) ? place.pathOf(path) : null)
  const { steps } = words
  return [
    { ...steps.requisite, href: link('/requisites'), isDone: installed.hasRequisites },
    { ...steps.merchant, href: link('/merchants'), isDone: installed.hasLive || installed.hasTest },
    { ...steps.source, href: link('/sources'), isDone: installed.hasSources },
    { ...steps.people, href: link('/people'), isDone: installed.hasColleagues },
    { ...steps.deposit, href: null, isDone: false },
  ]
}
