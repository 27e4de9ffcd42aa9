/** What a newcomer reads after the first start: the addresses of the demo, and a signed request to paste. */

import { signLiteral } from '../../../sdk/signature.ts'
import type { Demo } from '../../domain/sandbox/demo-file.ts'
import type { DemoLinks } from '../../domain/sandbox/demo-people.ts'
import { randomToken } from '../../platform/clock.ts'
import { apiPath } from '../api/paths.ts'

export function welcome(
  demo: Demo,
  links: DemoLinks,
  {
    publicUrl,
    dataDir,
    databaseAt,
    processes,
  }: { publicUrl: string; dataDir: string; databaseAt: string | null; processes: number },
): string {
  return `
  Inlet is running at ${publicUrl}

${processes === 1 ? shop(publicUrl) : ''}  Console        ${links.merchant}
                 The merchant console. This link works once, for a day; the next start prints a new one.
  Desk           ${links.operator}
                 The operator's desk, with a one-time link too.
  Reference      ${publicUrl}/docs
  Demo merchant  ${dataDir}/demo.json (its keys; everything is test mode)
${databaseAt ? database(databaseAt) : ''}
${demo.v2_only ? v2Only : signedCurl(demo, publicUrl)}
  Ctrl-C stops everything.

`
}

/** It keeps its orders in memory, so only a single process has it. */
const shop = (publicUrl: string): string => `  Demo shop      ${publicUrl}/demo
                 Place an order, simulate the bank on the payment page, see the callback arrive.
`

/** Root's data folder is closed to the user that PostgreSQL runs as. */
const database = (folder: string): string => `  Database       ${folder}
                 PostgreSQL does not run as root, so its data is here and not in the data folder.
`

function signedCurl(demo: Demo, publicUrl: string): string {
  const fields = {
    merchant: demo.merchant,
    // A random order id: a fixed one would return the deposit of an earlier start.
    order_id: `first-deposit-${randomToken(4)}`,
    cents: '150000',
    currency: 'RUB',
    payment_type: 'any_bank',
    customer: 'customer-1',
  }
  const body = JSON.stringify({ ...fields, cents: Number(fields.cents) })
  return `  Or create a deposit yourself, already signed:

curl -s ${publicUrl}${apiPath('/requests/deposit/create')} \\
  -H 'Content-Type: application/json' \\
  -H 'X-Signature: ${signLiteral(demo.signing_secret, 'create', fields)}' \\
  -d '${body}'

  The answer contains the requisites and a link to the payment page.
`
}

/** A v2 signature is valid for minutes only, so it cannot be printed for later. */
const v2Only = `  Or create a deposit yourself: "npm run inlet -- sign --help" shows how to make a v2 signature, the only one
  that the demo merchant's key accepts.
`
