/**
 * What a script adds to the branding page: the preview follows the colour and the logo as they are chosen. The files of the
 * colour's and the logo's rules stand before this one in the same script.
 */
import type * as Brands from '../../../domain/merchants/brand.ts'
import type * as Accents from '../../web/accent.ts'

declare const { fitted, logoBox, readAccent, toneOf }: typeof Brands
declare const { ownShades, shadesOf }: typeof Accents

const written = document.querySelector<HTMLInputElement>('#accent')!
const picker = document.querySelector<HTMLInputElement>('#accent-picker')!
const chosen = document.querySelector<HTMLInputElement>('#logo')!
const previews = [...document.querySelectorAll<SVGElement>('[data-preview]')]

function paint(): void {
  const accent = readAccent(written.value)
  // While the colour is incomplete, the preview does not change.
  if (accent === null && written.value.trim() !== '') return
  if (accent) picker.value = accent
  const shades = accent ? shadesOf(accent) : ownShades
  for (const preview of previews) {
    const shade = shades[preview.dataset.preview as 'light' | 'dark']
    for (const name of ['fill', 'stroke'] as const)
      for (const part of preview.querySelectorAll<SVGElement>(`[data-${name}]`))
        part.setAttribute(name, shade[part.dataset[name] as 'fill' | 'edge' | 'text'])
  }
}

/** The logo is shown as the server will show it: scaled to its maximum size, and on a plate where it would be invisible. */
async function showLogo(file: File): Promise<void> {
  const picture = await createImageBitmap(file)
  const { width, height } = fitted(picture, logoBox)
  const canvas = document.createElement('canvas')
  Object.assign(canvas, fitted(picture, { width: logoBox.width * 3, height: logoBox.height * 3 }))
  const pen = canvas.getContext('2d')!
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const tone = toneOf(pen.getImageData(0, 0, canvas.width, canvas.height).data)
  for (const preview of previews) {
    preview.querySelector('[data-mark]')?.setAttribute('visibility', 'hidden')
    const image = preview.querySelector('image')!
    image.setAttribute('href', canvas.toDataURL('image/png'))
    const needsPlate = tone !== 'any' && tone === preview.dataset.preview
    const plate = preview.querySelector('[data-plate]')!
    plate.setAttribute('visibility', needsPlate ? 'visible' : 'hidden')
    const edge = needsPlate ? { x: 6, y: 4 } : { x: 0, y: 0 }
    const top = 40 - height / 2
    const places = { x: 16 + edge.x, y: top, width, height }
    for (const [name, value] of Object.entries(places)) image.setAttribute(name, `${value}`)
    const room = { x: 16, y: top - edge.y, width: width + 2 * edge.x, height: height + 2 * edge.y }
    for (const [name, value] of Object.entries(room)) plate.setAttribute(name, `${value}`)
    const beside = `translate(${16 + room.width + 12} 0)`
    preview.querySelector('[data-beside]')!.setAttribute('transform', beside)
  }
}

picker.hidden = false
picker.addEventListener('input', () => {
  written.value = picker.value
  paint()
})
written.addEventListener('input', paint)
chosen.addEventListener('change', () => {
  const [file] = chosen.files ?? []
  // A file that is no picture is refused by the server, with what to do about it.
  if (file) showLogo(file).catch(() => {})
})
paint()
