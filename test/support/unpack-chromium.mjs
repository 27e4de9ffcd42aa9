/** Unpacks the Chromium of npm and its libraries into the temp folder, and prints where they are. */
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'

const path = await chromium.executablePath()
const packed = new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium'))
const libraries = await inflate(fileURLToPath(packed))
console.log(JSON.stringify({ path, libraries }))
