/** Every component of the consoles in its states, for developers of pages. Served in development only. */

import { depositStates, labels } from '../../../domain/deposits/deposit.ts'
import { currencies } from '../../../domain/money.ts'
import { transferStates } from '../../../domain/transfers/transfer.ts'
import { choiceFilter, fieldFilter, filterBar } from '../../staff/filter-bar.ts'
import { dayOf, moneyOf, pager, shortId, timeOf } from '../../staff/frame.ts'
import { depositBadge, labelBadges, transferBadge } from '../../staff/state-badges.ts'
import { chart } from '../../web/chart.ts'
import { html, type Markup } from '../../web/html.ts'
import { icons } from '../../web/icons.ts'
import {
  badge,
  button,
  callout,
  checkbox,
  code,
  empty,
  field,
  pairs,
  panel,
  select,
  table,
  tiles,
} from '../../web/pieces.ts'
import { type DeskContext, deskPage, modeBadge, timeAgo, waitingFor } from '../frame.ts'
import { deskPath } from '../paths.ts'

const tones = ['ok', 'warn', 'bad', 'info'] as const
const colours = [
  ...['paper', 'surface', 'sunken', 'ink', 'ink-2', 'line', 'control', 'accent', 'accent-tint'],
  ...tones.flatMap((tone) => [tone, `${tone}-tint`]),
]
const sampleId = '01a1e5b1-fc92-7584-a70c-83efa17e2d75'

export function designPage(desk: DeskContext) {
  return deskPage(desk, {
    title: 'Components',
    section: 'settings',
    actions: html`${badge('badge beside a title')}<a class="button" href="${deskPath('/design')}">Act beside a title</a>`,
    body: html`<div lang="en" class="stack">${parts(desk).map(([name, body]) => panel(name, body))}</div>`,
  })
}

const parts = (desk: DeskContext): [name: string, body: Markup][] => [
  [
    'Colours',
    html`<ul class="swatches">${colours.map((name) => html`<li><span class="swatch ${name}"></span>${name}</li>`)}</ul>`,
  ],
  [
    'Type',
    html`<p class="big">${moneyOf(desk, 150_050n, 'RUB')}</p><h2>Heading of a panel</h2><h3>Heading within a panel</h3>
<p>Text, <strong>strong</strong>, <span class="quiet">quiet</span>, <a href="${deskPath('/design')}">a link</a>, <span class="mono">monospaced</span>, <kbd>K</kbd></p>`,
  ],
  [
    'Money, days and times',
    pairs([
      ...currencies.map((currency) => [currency, moneyOf(desk, 123_456_700n, currency)] as const),
      ['With a fraction', moneyOf(desk, 123_456_789n, 'RUB')],
      ['Negative', moneyOf(desk, -45_050n, 'RUB')],
      ['Time', timeOf(desk, desk.now)],
      ['Day', dayOf(desk, '2026-11-15')],
      ['Age', waitingFor(desk, new Date(desk.now.getTime() - 5_400_000))],
      ['Time ago', timeAgo(desk, new Date(desk.now.getTime() - 5_400_000))],
      ['Id', shortId(sampleId)],
    ]),
  ],
  [
    'Badges',
    html`<p class="row">${badge('plain')}${tones.map((tone) => badge(tone, tone))}${modeBadge(desk, 'test')}</p>
<p class="row">${depositStates.map((state) => depositBadge(desk, state))}${labelBadges(desk, labels)}</p>
<p class="row">${transferStates.map((state) => transferBadge(desk, state))}</p>`,
  ],
  [
    'Buttons',
    html`<p class="row">${button('Primary', 'primary')}${button('Plain')}${button('Danger', 'danger')}${button('Disabled', 'plain', true)}
<a class="button" href="${deskPath('/design')}">${icons.download}Link with an icon</a>
<button type="button" class="link">Link-like</button>
<button type="button" class="button" data-opens="keys" hidden>Open a dialog</button></p>`,
  ],
  [
    'Icons',
    html`<ul class="swatches">${Object.entries(icons).map(([name, icon]) => html`<li>${icon}${name}</li>`)}</ul>`,
  ],
  ['Callouts', html`${tones.map((tone) => callout(tone, `This is ${tone}.`))}`],
  [
    'Form',
    html`<form class="stack" method="get" action="${deskPath('/design')}"><div class="grid">
${field({ name: 'plain', label: 'Field' })}
${field({ name: 'hinted', label: 'Field with a hint', hint: 'Such as 1500.50.', value: '1500.50' })}
${field({ name: 'wrong', label: 'Field with an error', value: 'many', error: 'This is no amount. Write 1500.50.' })}
${field({ name: 'date', label: 'Date', type: 'date' })}
${select({ name: 'chosen', label: 'Choice', value: 'KZT', choices: currencies.map((currency) => ({ value: currency, text: currency })) })}
</div>${checkbox({ name: 'checked', label: 'Checkbox', isOn: true })}
<label class="choice"><input type="radio" name="card" checked><span>Radio card, chosen</span></label>
<label class="choice"><input type="radio" name="card"><span>Radio card</span></label>
${button('Save changes', 'primary')}</form>`,
  ],
  [
    'Tabs and filters',
    html`<nav class="tabs" aria-label="Tabs"><a href="${deskPath('/design')}" aria-current="page">Chosen</a><a href="${deskPath('/design')}" aria-current="false">Other</a></nav>
${filterBar(desk, {
  path: deskPath('/design'),
  search: { name: 'search', label: 'Search', placeholder: 'Order, amount', value: '', maxLength: 40 },
  filters: [
    choiceFilter({
      name: 'currency',
      label: 'Currency',
      value: 'RUB',
      none: 'all',
      choices: currencies.map((currency) => ({ value: currency, text: currency })),
    }),
    fieldFilter({ name: 'payer', label: 'Payer', value: '' }),
  ],
})}`,
  ],
  [
    'Table',
    html`${table(
      'Deposits of the sample',
      [
        { head: 'Amount', is: 'number' },
        'State',
        { head: 'Payer', is: 'middle' },
        { head: 'Purpose', is: 'long' },
        { head: 'Less important', is: 'extra' },
      ],
      depositStates.map((state) => [
        html`<a href="${deskPath('/design')}">${moneyOf(desk, 150_050n, 'RUB')}</a>`,
        depositBadge(desk, state),
        'ИВАНОВ ИВАН ИВАНОВИЧ',
        'Перевод по договору 17 от 03.11.2026, НДС не облагается',
        shortId(sampleId),
      ]),
    )}${pager(desk, { newest: deskPath('/design'), older: deskPath('/design') })}`,
  ],
  [
    'Tiles',
    tiles([
      ['Deposits today', '1,204'],
      ['Confirmed', moneyOf(desk, 15_000_000n, 'RUB')],
      ['Conversion', '66.7 %'],
    ]),
  ],
  [
    'Chart',
    chart({
      description: 'A sample of seven days',
      labels: Array.from({ length: 7 }, (_, day) => `${day + 11} Nov`),
      series: [
        { name: 'Created', kind: 'bars', points: [4, 9, 7, null, 3, 8, 10] },
        { name: 'Confirmed', kind: 'line', points: [2, 7, 5, null, 3, 6, 9] },
      ],
      write: String,
      nothing: 'No deposits',
      table: { title: 'As a table', body: 'The numbers stand here.' },
    }),
  ],
  [
    'Timeline',
    html`<ol class="timeline"><li><strong>Created</strong><p class="quiet">${timeOf(desk, desk.now)}</p></li>
<li class="ok"><strong>Confirmed</strong><p class="quiet">${timeOf(desk, desk.now)}</p></li>
<li class="warn"><strong>Under review</strong></li><li class="bad"><strong>Reversed</strong></li></ol>`,
  ],
  ['Code', code('{ "order_id": "A-1001", "cents": 150000 }')],
  ['Empty list', empty('No deposits yet', 'They appear here as soon as a merchant asks for one.')],
]
