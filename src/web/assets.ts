/** The files that pages are made with, read once when the process starts. */
import { readFileSync } from 'node:fs'
import { stylesheet } from './page.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Comments are for us; a browser need not load them. */
const stripped = (css: string) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\n\s*/g, '\n')
    .trim()

export const plainStyles = stylesheet(stripped(`${read('tokens.css')}\n${read('plain.css')}`))
