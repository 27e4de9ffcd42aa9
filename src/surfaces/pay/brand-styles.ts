/** The styles of one merchant's colour. They follow ours in the page, and its policy allows them by their digest. */
import { readAccent } from '../../domain/merchants/brand.ts'
import { type Shades, shadesOf } from '../web/accent.ts'
import { type Stylesheet, stylesheet } from '../web/page.ts'

export function brandStyles(accent: string | null): Stylesheet | null {
  // The colour is checked again here, because it becomes CSS.
  const colour = accent && readAccent(accent)
  if (!colour) return null
  const { light, dark } = shadesOf(colour)
  return stylesheet(`${rules(light)}@media (prefers-color-scheme:dark){${rules(dark)}}`)
}

const rules = ({ fill, edge, text, hover }: Shades['light']): string =>
  `body{border-top:4px solid ${edge}}` +
  `.mark,.primary{border-color:${edge};background:${fill};color:${text}}` +
  `.primary:hover{background:${hover};color:${text}}`
