/**
 * How a merchant's colour is used on the payment page. Pure and without imports: the console's preview runs it in the browser.
 *
 * The chosen colour fills the primary button and the mark of a shop without a logo; its edge is drawn around the button
 * and as a rule above the page. Text, links and the colours of states stay ours. Whatever the colour, the result can be
 * seen: the text on it is white or black, the one with a contrast of 4.5, and its edge has 3 on every background of the page.
 */

type Shade = { fill: string; edge: string; text: string; hover: string }
export type Shades = { light: Shade; dark: Shade }

/** The backgrounds of tokens.css: paper, surface, sunken. */
export const backgrounds = {
  light: ['#f6f4ef', '#ffffff', '#edeae2'],
  dark: ['#101513', '#181f1c', '#0b0f0e'],
} as const

/** The accent of tokens.css, where a merchant has chosen none. */
export const ownShades: Shades = {
  light: { fill: '#0a5c55', edge: '#0a5c55', text: '#ffffff', hover: '#074842' },
  dark: { fill: '#5fd0c0', edge: '#5fd0c0', text: '#06231f', hover: '#86dfd2' },
}

const white = '#ffffff'
const black = '#000000'

/** In the light theme a pale colour keeps its fill and gets a darker edge; in the dark theme a dark colour is lightened. */
export function shadesOf(accent: string): Shades {
  const edge = visible(accent, black, backgrounds.light)
  return { light: shade(accent, edge), dark: shade(visible(accent, white, backgrounds.dark)) }
}

function shade(fill: string, edge = fill): Shade {
  const text = contrast(fill, white) >= 4.5 ? white : black
  return { fill, edge, text, hover: mixed(fill, text === white ? black : white, 0.15) }
}

/** The colour, mixed with another one only as far as needed to be visible on every background. */
function visible(colour: string, towards: string, on: readonly string[]): string {
  for (let step = 0; step < 50; step++) {
    const candidate = mixed(colour, towards, step / 50)
    if (on.every((background) => contrast(candidate, background) >= 3)) return candidate
  }
  return towards
}

const channels = (colour: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

function mixed(colour: string, other: string, share: number): string {
  const added = channels(other)
  const sum = channels(colour).map((value, at) => Math.round(value + (added[at]! - value) * share))
  return `#${sum.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** WCAG 2.2: the contrast ratio of two colours, by their relative luminance. */
export function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((left, right) => left - right)
  return (high! + 0.05) / (low! + 0.05)
}

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
