/** The two font files that the bill is drawn with, read once at boot. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { rulerOf } from './ruler.ts'
import { letterWidths } from './true-type.ts'

const file = (name: string) => resolve(import.meta.dirname, 'font', name)

export const fontFiles = [file('NotoSans-Regular.ttf'), file('NotoSans-SemiBold.ttf')]

export const ruler = rulerOf(fontFiles.map((path) => letterWidths(readFileSync(path))))
