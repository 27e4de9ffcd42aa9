/** The colour and the logo of the demo shop, so that a newcomer sees a payment page with a brand. */
import { drawPicture } from '../../platform/pictures.ts'
import { type Logo, logoFrom } from '../merchants/logo.ts'

export const demoAccent = '#5b3fd6'

/** An open notebook on a rounded square: two pages with a gap between them; the right one has three lines. */
const notebook = `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="480">
<rect width="480" height="480" rx="110" fill="${demoAccent}"/>
<path fill="#fff" d="M118 120h88a22 22 0 0 1 22 22v196a22 22 0 0 1-22 22h-88a22 22 0 0 1-22-22V142a22 22 0 0 1 22-22zm156 0h88a22 22 0 0 1 22 22v196a22 22 0 0 1-22 22h-88a22 22 0 0 1-22-22V142a22 22 0 0 1 22-22z"/>
<path stroke="${demoAccent}" stroke-width="20" d="M277 190h83m-83 50h83m-83 50h83"/>
</svg>`

const owner = { name: 'demo', isKnown: true }

export async function demoLogo(): Promise<Logo> {
  const { png } = await drawPicture({ svg: notebook }, owner)
  return logoFrom(Buffer.from(png), owner)
}
