/** How the payment page looks: what is saved, the form that changes it, and a preview of both themes. */

import { logoPath } from '../../../domain/deposits/page-paths.ts'
import { type Brand, fitted, logoBox } from '../../../domain/merchants/brand.ts'
import type { Merchant } from '../../../domain/merchants/merchant.ts'
import { bounds } from '../../../platform/bounds.ts'
import { foreignText } from '../../../platform/foreign-text.ts'
import { inLanguage, type Two } from '../../../sections/section.ts'
import type { OfficeContext } from '../../office/context.ts'
import { consoleWords } from '../../staff/console-words.ts'
import { ownShades, shadesOf } from '../../web/accent.ts'
import { priceText } from '../../web/format.ts'
import { html, type Markup } from '../../web/html.ts'
import { messages } from '../../web/messages/languages.ts'
import { act, button, callout, field, panel } from '../../web/pieces.ts'
import { consolePath } from '../paths.ts'
import { brandingWords as words } from './words.ts'

type BrandingView = {
  merchant: Merchant
  notice?: string | null
  brand: Brand
  /** The submitted text, if it could not be saved. */
  accent?: string
  problems?: { accent?: string | undefined; logo?: string | undefined }
  script: string
}

export function brandingPage(
  office: OfficeContext,
  { merchant, notice = null, brand, accent, problems = {}, script }: BrandingView,
) {
  const say = (words: Two) => inLanguage(words, office.language)
  const { id, mode } = merchant
  return office.place.page({
    title: say(words.title),
    ...{ path: '/settings', notice, scripts: [script] },
    body: html`<p>${say(words.text)}</p>
${mode === 'live' && callout('info', say(words.inLive))}
<div class="split">
<div class="stack"><section class="panel"><h2>${say(words.form)}</h2>
<form method="post" action="${consolePath('/settings/branding', id)}" enctype="multipart/form-data" class="stack">
<input type="hidden" name="csrf" value="${office.visitor.session.csrf}">
<div class="beside">
${field({ name: 'accent', label: say(words.colour), hint: say(words.colourHint), value: accent ?? brand.accent ?? '', error: problems.accent, maxLength: 20, placeholder: '#0a5c55' })}
<input id="accent-picker" type="color" value="${brand.accent ?? ownShades.light.fill}" aria-label="${say(words.picker)}" hidden>
</div>
<div class="field"><label for="logo">${say(words.logo)}</label><p class="hint" id="logo-hint">${say(words.logoHint(bounds.logoBytes / 1024, bounds.logoSide))}</p>
${problems.logo && html`<p class="error" id="logo-error">${problems.logo}</p>`}
<input id="logo" type="file" name="logo" data-choose="${inLanguage(consoleWords.chooseFile, office.language)}" data-none="${inLanguage(consoleWords.noFile, office.language)}" accept="image/png" aria-describedby="logo-hint ${problems.logo && 'logo-error'}" aria-invalid="${problems.logo ? 'true' : 'false'}"></div>
<div class="row">${button(say(words.save), 'primary')} <a class="button" href="${office.place.pathOf('/settings')}">${say(words.back)}</a></div>
</form></section>
${brand.logo && act(office.visitor, { action: consolePath('/settings/branding/remove-logo', id), text: say(words.remove), kind: 'danger' })}
</div>
${panel(
  say(words.preview),
  html`<p class="quiet">${say(words.previewText)}</p>
${(['light', 'dark'] as const).map((theme) => html`<figure class="stack"><figcaption>${say(words.themes[theme])}</figcaption>${preview(office, merchant, brand, theme)}</figure>`)}`,
)}
</div>`,
  })
}

/** Colours of the payment page that a merchant cannot choose: background, text, secondary text, and the plate behind a logo. */
const pageColours = {
  light: ['#f6f4ef', '#1b2421', '#4e5a55', '#101513'],
  dark: ['#101513', '#eaf0ed', '#a9b6b0', '#ffffff'],
} as const

/** The head and the button of the payment page, drawn with attributes: the policy allows no style on an element. */
function preview(
  office: OfficeContext,
  merchant: Merchant,
  { accent, logo }: Brand,
  theme: 'light' | 'dark',
): Markup {
  const say = (words: Two) => inLanguage(words, office.language)
  const [paper, ink, quiet, plate] = pageColours[theme]
  const { fill, edge, text } = (accent ? shadesOf(accent) : ownShades)[theme]
  const name = foreignText(merchant.name, 80)
  const { width, height } = logo ? fitted(logo, logoBox) : { width: 40, height: 40 }
  // A logo that would be invisible on the theme's background gets a plate behind it.
  const hasPlate = logo !== null && logo.tone === theme
  const [x, y] = hasPlate ? [6, 4] : [0, 0]
  const top = 40 - height / 2
  return html`<svg class="page-preview" viewBox="0 0 328 196" role="img" aria-label="${say(words.preview)}: ${say(words.themes[theme])}" data-preview="${theme}">
<rect width="328" height="196" fill="${paper}"/>
<rect width="328" height="4" fill="${edge}" data-fill="edge"/>
<rect x="16" y="${top - y}" width="${width + 2 * x}" height="${height + 2 * y}" rx="6" fill="${plate}" visibility="${hasPlate ? 'visible' : 'hidden'}" data-plate="yes"/>
<g data-mark="yes" visibility="${logo ? 'hidden' : 'visible'}">
<rect x="16" y="20" width="40" height="40" rx="10" fill="${fill}" data-fill="fill"/>
<text x="36" y="46" font-size="18" font-weight="650" text-anchor="middle" fill="${text}" data-fill="text">${/[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase()}</text>
</g>
${logo ? html`<image x="${16 + x}" y="${top}" width="${width}" height="${height}" href="${logoPath('/:name', `${logo.digest}.png`)}"/>` : html`<image/>`}
<g data-beside="yes" transform="translate(${16 + width + 2 * x + 12} 0)">
<text y="38" font-size="16" font-weight="600" fill="${ink}">${name}</text>
<text y="56" font-size="14" fill="${quiet}">${say(words.order)}</text>
</g>
<text x="16" y="108" font-size="34" font-weight="650" fill="${ink}">${priceText(150_000n, 'RUB', office.language)}</text>
<rect x="16.5" y="130.5" width="295" height="47" rx="10" fill="${fill}" stroke="${edge}" data-fill="fill" data-stroke="edge"/>
<text x="164" y="159" font-size="16" font-weight="600" text-anchor="middle" fill="${text}" data-fill="text">${messages[office.language].claim}</text>
</svg>`
}
