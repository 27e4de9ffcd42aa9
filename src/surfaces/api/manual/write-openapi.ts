/** Writes openapi.json at the root of the repository. A test fails when the file is stale: run this then. */
import { writeFileSync } from 'node:fs'
import { openApiDocument } from './openapi.ts'

const document = openApiDocument({ publicUrl: 'https://inlet.example' })
writeFileSync(new URL('../../../../openapi.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
