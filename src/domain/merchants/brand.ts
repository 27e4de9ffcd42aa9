/**
 * How the payment page of a merchant looks: an optional colour and an optional logo. Without imports, because the preview in the
 * console runs this file in the browser.
 */

/** On which backgrounds a logo can be seen: `dark` ones need a light background, `light` ones a dark one. */
export const logoTones = ['any', 'dark', 'light'] as const
export type LogoTone = (typeof logoTones)[number]

/** A logo as pages name it. The digest is that of its bytes, so a changed logo has another address. */
export type ShownLogo = { digest: string; width: number; height: number; tone: LogoTone }

/** `accent` is written as #rrggbb. */
export type Brand = { accent: string | null; logo: ShownLogo | null }

/** Reads a colour as people write it, with or without "#" and in any case; null if it is no colour. */
export const readAccent = (text: string): string | null => {
  const [, digits] = /^#?([0-9a-f]{6})$/i.exec(text.trim()) ?? []
  return digits === undefined ? null : `#${digits.toLowerCase()}`
}

/** The size at which a picture fits into a box: its proportions are kept, and it is never enlarged. */
export function fitted(
  { width, height }: { width: number; height: number },
  box: { width: number; height: number },
): { width: number; height: number } {
  const scale = Math.min(1, box.width / width, box.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The largest size of a logo on the payment page, in CSS pixels. */
export const logoBox = { width: 160, height: 40 }

/** A picture with its own background can be seen anywhere; for others it depends on how dark they are. */
export function toneOf(rgba: Uint8Array | Uint8ClampedArray): LogoTone {
  let [seen, dark, light, clear] = [0, 0, 0, 0]
  for (let at = 0; at < rgba.length; at += 4) {
    if (rgba[at + 3]! < 128) clear++
    else {
      seen++
      // Near enough to WCAG's luminance: on black or on white these have a contrast below 3.
      const luminance =
        0.2126 * (rgba[at]! / 255) ** 2.2 +
        0.7152 * (rgba[at + 1]! / 255) ** 2.2 +
        0.0722 * (rgba[at + 2]! / 255) ** 2.2
      if (luminance < 0.12) dark++
      if (luminance > 0.26) light++
    }
  }
  // Rounded corners or a circle leave less than a quarter of the picture transparent.
  if (clear < (seen + clear) / 4) return 'any'
  const isMuch = (count: number) => count > seen / 5
  if (isMuch(dark) && dark >= light) return 'dark'
  return isMuch(light) && light > dark ? 'light' : 'any'
}
