/** The few hard rules of the house. Each one is a line someone would otherwise have to say in every review. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { refusals } from '../src/platform/refusals.ts'
import { apiPath } from '../src/surfaces/api/paths.ts'
import { staffPath } from '../src/surfaces/staff/paths.ts'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')
const files = (...patterns: string[]) => globSync(patterns, { cwd: root }).sort()

const source = files('src/**/*.ts', 'sdk/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const tests = files('src/**/*.test.ts', 'sdk/**/*.test.ts', 'test/**/*.ts')

/** What a file imports: paths of ours as they stand in the tree, packages by name. Types count too. */
const importsOf = (file: string) =>
  [...read(file).matchAll(/(?:^|\n)(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g)].map(
    ([, from, lazy]) => {
      const name = (from ?? lazy)!
      return name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name
    },
  )

/**
 * The floors, from below, and the order on each: a file imports only from floors below its own, and on its own floor only
 * from folders that stand earlier here. ARCHITECTURE.md says why each stands where it does.
 */
const floors = {
  platform: [],
  domain: [
    ...[
      'money.ts',
      'messages',
      'audit',
      'merchants',
      'callbacks',
      'requisites',
      'catalogue',
      'rules',
      'deposits',
      'transfers',
    ],
    ...[
      'statements',
      'refunds',
      'people',
      'keys',
      'approvals',
      'backups',
      'alarms',
      'reports',
      'doctor',
      'sandbox',
    ],
  ],
  surfaces: [
    ...['web', 'api', 'pay', 'staff', 'console', 'desk', 'shop', 'entrance', 'metrics', 'command-line'],
  ],
  /** What starts and wires the rest. */
  program: [
    ...[
      'open-foundation.ts',
      'keep-backups.ts',
      'gateway.ts',
      'start-pieces.ts',
      'start.ts',
      'supervise.ts',
      'program.ts',
    ],
  ],
} as const
const floorNames = Object.keys(floors) as (keyof typeof floors)[]

/** Where a file stands: the number of its floor, and of its folder there. Settings stand on the ground. */
function placeOf(file: string): { floor: number; folder: number; name: string } {
  const [, first, second] = file.split('/') as [string, string, string?]
  const isOnFloor = second !== undefined
  const floor = file === 'src/config.ts' ? 0 : floorNames.indexOf(isOnFloor ? (first as 'domain') : 'program')
  const name = isOnFloor ? second : first
  const order: readonly string[] = floors[floorNames[floor]!] ?? []
  return { floor, name, folder: floor === 0 ? 0 : order.indexOf(name) }
}

const house = source.filter((file) => file.startsWith('src/'))

test('three floors: every file stands on one, and imports go down only', () => {
  assert.deepEqual(
    house.filter((file) => placeOf(file).floor < 0 || placeOf(file).folder < 0),
    [],
    'stands nowhere',
  )
  const wrong = house.flatMap((file) => {
    const from = placeOf(file)
    return importsOf(file)
      .filter((name) => name.startsWith('src/'))
      .filter((name) => {
        const to = placeOf(name)
        return to.floor > from.floor || (to.floor === from.floor && to.folder > from.folder)
      })
      .map((name) => `${file} imports ${name}`)
  })
  assert.deepEqual(wrong, [])
})

test('the two consoles share what stands in staff/, and nothing else', () => {
  const wrong = house.flatMap((file) =>
    importsOf(file)
      .filter((name) => file.startsWith('src/surfaces/desk/') && name.startsWith('src/surfaces/console/'))
      .map((name) => `${file} imports ${name}`),
  )
  assert.deepEqual(wrong, [])
})

test('no file imports itself, directly or indirectly', () => {
  const known = new Map<string, boolean>()
  const circles: string[] = []
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (known.has(file)) return
    known.set(file, true)
    for (const name of importsOf(file)) if (source.includes(name)) walk(name, [...path, file])
  }
  for (const file of source) walk(file, [])
  assert.deepEqual(circles, [])
})

/** Pure files: no I/O, no clock, no randomness. A change of this list is one line in review. */
const pure = new Set(
  files(
    'src/platform/bounds.ts',
    'src/domain/money.ts',
    'src/domain/messages/*.ts',
    'src/platform/refusals.ts',
    'src/domain/approvals/{guard,proposal}.ts',
    'src/domain/audit/audit.ts',
    'src/surfaces/pay/bill/{bill,gost,payment-code,rows,ruler,true-type}.ts',
    'src/domain/callbacks/callback.ts',
    'src/domain/callbacks/delivery/{attempt-outcome,lane,lane-turns,retry-schedule}.ts',
    'src/surfaces/api/{examples,operation,refused-signature}.ts',
    'src/surfaces/api/*/openapi.ts',
    'src/surfaces/api/callbacks/records.ts',
    'src/domain/catalogue/{limit,offer,payment-type}.ts',
    'src/surfaces/command-line/nearest.ts',
    'src/surfaces/console/**/{*-page,*-pages,words*,frame,rows,search,deposit-csv,signature-lines}.ts',
    'src/domain/deposits/{address,changed-reference,decide,deposit,order,page-paths,payment-times,record,reference,reference-order,sent-request,shown}.ts',
    'src/surfaces/desk/**/{frame,list-pager,words,*-words,*-page,*-pages,*-pieces,*-values,filter,presets,queue,rows,changes}.ts',
    'src/surfaces/entrance/{pages,words}.ts',
    'src/surfaces/api/manual/{callbacks,explanations,guide,health-openapi,page,pieces,snippets}.ts',
    'src/domain/merchants/{api-key,brand,logo,merchant}.ts',
    'src/domain/alarms/alarm.ts',
    'src/surfaces/pay/{bill-block,brand-styles,pages,return-link,screen,status,view}.ts',
    'src/domain/people/{access,login-throttle,password-strength,person,session,time,totp}.ts',
    'src/surfaces/staff/{amount,browser,console-page,console-words,deposit-timeline,filter-bar,frame,list-words,long-list,method-names,overview-pieces,pages,refused-body,setting-sections,shared-words,state-badges,state-words,words,workplaces}.ts',
    'src/surfaces/*/paths.ts',
    'src/domain/people/links/link.ts',
    'src/surfaces/staff/links/link-pages.ts',
    'src/platform/{allowed-address,fair-queue,flat-body,foreign-text,growing-bytes,intl,json-body,list-page,migration-file,network,own-text,paths,places,png,rate-limit,remembered,request-fields,request-head,same-site,schema,sum}.ts',
    'src/domain/refunds/refund.ts',
    'src/domain/reports/{csv,one-c-export,report,report-csv,report-json,report-table}.ts',
    'src/domain/requisites/*.ts',
    'src/domain/rules/{customer-limit,listing}.ts',
    'src/domain/sandbox/{bank-time,record,busy/agenda,busy/busy-plan}.ts',
    'src/surfaces/shop/{shop,shop-pages,shop-words}.ts',
    'src/domain/people/saved-views/saved-view.ts',
    'src/surfaces/staff/saved-views/{view-pieces,words}.ts',
    'src/domain/statements/{entry,explained-row,import-report,progress,tally,totals,formats/*,undo/undo-report,writers/*}.ts',
    'src/domain/transfers/bank-text/*.ts',
    'src/domain/transfers/{channel,entry,facts-json,identity,masked-raw,matching,payer,payer-shapes,payment-times,purpose-references,push,source,taken,transfer,voice}.ts',
    'src/surfaces/web/*.ts',
    'src/surfaces/web/messages/*.ts',
    'src/surfaces/staff/sentences/*.ts',
    'sdk/{event-types,signature}.ts',
  ).filter(
    (file) =>
      !file.endsWith('.test.ts') &&
      !/([/-]store|\/(add-requisite|assets|candidate-cache|packed-page|routes|send-page|send-static)|\.client)\.ts$/.test(
        file,
      ),
  ),
)
const pureModules = ['node:crypto', 'node:net', 'node:buffer', 'node:zlib', 'uqr']

test('a pure file imports only pure files', () => {
  const wrong = [...pure].flatMap((file) =>
    importsOf(file)
      .filter((name) => !pure.has(name) && !pureModules.includes(name))
      .map((name) => `${file} imports ${name}`),
  )
  assert.deepEqual(wrong, [])
})

/** Lines that match, as `file:line`, outside the files that may. */
function linesMatching(pattern: RegExp, isAllowed: (file: string) => boolean, among = source): string[] {
  return among
    .filter((file) => !isAllowed(file))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .map((line, index) => ({ line, place: `${file}:${index + 1}` }))
        .filter(({ line }) => pattern.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line))
        .map(({ place }) => place),
    )
}

const inPlatform = (file: string) => file.startsWith('src/platform/')
/** A folder's SQL stands in store.ts; where that would hold two ideas, each further one has a file beside it: slot-store.ts. */
const isStore = (file: string) => /[/-]store\.ts$/.test(file)

/** What programs of merchants and banks read, or the log has: English. */
const spokenToPrograms =
  /^src\/domain\/(alarms|doctor|messages|catalogue\/limit|deposits\/(build-deposit|create-deposit|order|record)|rules\/(customer-limit|listing)|sandbox\/(export-statement|fake-bank)|statements\/formats\/csv-mapping|transfers\/push)\b/

test('what the domain says to people is a message, never a sentence of its own', () => {
  const among = source.filter((file) => file.startsWith('src/domain/'))
  const sentence = /\b(detail|reason|problem|warning)\b[:=?\s]+['"`][A-Z]\S* \S+/
  assert.deepEqual(
    linesMatching(sentence, (file) => spokenToPrograms.test(file), among),
    [],
  )
})

test('SQL is written in stores, platform/ and migrations/ only, and never selects *', () => {
  assert.deepEqual(
    linesMatching(
      /\bsql`|\b(select|insert into|update|delete from) \w+.* (from|set|values|where)\b/,
      (file) => inPlatform(file) || isStore(file),
    ),
    [],
  )
  const everything = [...source, ...files('migrations/*.sql')]
  assert.deepEqual(
    linesMatching(/select\s+(\w+\.)?\*/i, () => false, everything),
    [],
  )
})

test('a store over 400 lines holds two ideas, and so does any other file over 500 but words', () => {
  const lines = (file: string) => read(file).split('\n').length - 1
  const isWords = (file: string) => /\/words(-\w+)?\.ts$/.test(file)
  assert.deepEqual(
    source.filter((file) => lines(file) > (isStore(file) ? 400 : 500) && !isWords(file)),
    [],
  )
})

test('the environment is read in config.ts only; clock and randomness in platform/clock.ts only', () => {
  const inSource = source.filter((file) => file.startsWith('src/'))
  assert.deepEqual(
    linesMatching(/process\.env/, (file) => file === 'src/config.ts', inSource),
    [],
  )
  // The manual prints code for merchants, and a page's script runs in a browser: they read other clocks.
  const mayAskMachine = (file: string) =>
    ['src/platform/clock.ts', 'src/surfaces/api/manual/snippets.ts'].includes(file) ||
    file.endsWith('.client.ts')
  const machine =
    /Date\.now|new Date\(\)|Math\.random|randomUUID|randomBytes|performance\.now|getRandomValues/
  assert.deepEqual(linesMatching(machine, mayAskMachine, inSource), [])
})

test('nothing of Node’s streams, sockets and servers is replaced: what it costs stays Node’s', () => {
  const replaced =
    /\.(_?read|_?write|push|pipe|emit|on) = |\.prototype(\.\w+|\[.*\])+ = |\(\w+(\.\w+)?\.prototype,|removeAllListeners\('(connection|request|data)'\)/
  assert.deepEqual(
    linesMatching(replaced, () => false),
    [],
  )
})

test('a client’s address is read in http.ts and for a bank’s networks; limits count networks', () => {
  const mayReadAddress = (file: string) =>
    ['src/platform/http.ts', 'src/surfaces/api/bank/routes.ts'].includes(file)
  assert.deepEqual(linesMatching(/request\.ips?\b|remoteAddress/, mayReadAddress), [])
})

test('a database is made in platform/db.ts only: no handle looks like one and does more', () => {
  assert.deepEqual(
    linesMatching(
      /\.\.\.(\w+\.)?\w*[dD]b\b|^\s*(async )?transaction[(:]/,
      (file) => file === 'src/platform/db.ts',
    ),
    [],
  )
})

test('deposits.state is changed by no statement outside deposits/store.ts', () => {
  assert.deepEqual(
    linesMatching(/update deposits|insert into deposits/, (file) => file === 'src/domain/deposits/store.ts'),
    [],
  )
})

for (const [name, isAllowed] of [
  ['pg', inPlatform],
  ['fastify', (file: string) => file === 'src/platform/http.ts' || file.endsWith('/routes.ts')],
  ['node:http', inPlatform],
  ['undici', (file: string) => /^src\/platform\/outbound(-connections)?\.ts$/.test(file)],
  ['uqr', (file: string) => /^src\/surfaces\/web\/(qr|quick-code)\.ts$/.test(file)],
  ['@resvg/resvg-js', (file: string) => file === 'src/surfaces/pay/bill/draw-thread.ts'],
] as const) {
  test(`${name} is imported where it belongs only`, () => {
    assert.deepEqual(
      source.filter((file) => importsOf(file).includes(name) && !isAllowed(file)),
      [],
    )
  })
}

test('calls leave the machine from the delivery, its test call and the operator’s alarms only', () => {
  const isAllowed = (file: string) =>
    ['src/gateway.ts', 'src/surfaces/command-line/callback.ts', 'src/domain/alarms/raise-alarms.ts'].includes(
      file,
    ) || file.startsWith('src/domain/callbacks/delivery/')
  assert.deepEqual(
    source.filter((file) => importsOf(file).includes('src/platform/outbound.ts') && !isAllowed(file)),
    [],
  )
})

test('sdk/ imports nothing outside sdk/ but Node', () => {
  const wrong = source
    .filter((file) => file.startsWith('sdk/'))
    .flatMap((file) =>
      importsOf(file).filter((name) => !name.startsWith('sdk/') && !name.startsWith('node:')),
    )
  assert.deepEqual(wrong, [])
})

test('addresses are written where they are listed, and made from there', () => {
  const isAllowed = (file: string) =>
    /\/(paths|page-paths)\.ts$|\.client\.ts$/.test(file) || file.startsWith('sdk/')
  const written =
    /(?<!Path(\.route)?\()["'`}]\/(operator|console|api\/v1|pay|bill|join)\b|(?<!Path(\.route)?\()["'`]\/(account|home|sign-(in|out))\b/
  assert.deepEqual(linesMatching(written, isAllowed), [])
})

test('sentences, scripts of pages and the SDK name addresses that exist', () => {
  const routes = [...apiPath.routes, ...staffPath.routes].map((route) => route.replace(/:\w+/g, ':'))
  const naming = [...house, ...files('sdk/client.ts')].filter((file) => !file.endsWith('openapi.ts'))
  const wrong = naming.flatMap((file) =>
    [...read(file).matchAll(/\/(?:api\/v1|sign-in|account)\/(?:\$\{[^}]*\}|[\w/-])+/g)]
      .map(([address]) => address.replace(/\$\{[^}]*\}/g, ':'))
      .filter((address) => !routes.includes(address.replace(/:\w+/g, ':')))
      .map((address) => `${file} ${address}`),
  )
  assert.deepEqual(wrong, [])
})

test('raw markup has three entrances, and nothing writes markup or code from text', () => {
  const users = source.filter((file) => importsOf(file).includes('src/surfaces/web/raw.ts'))
  assert.ok(users.length <= 3, users.join(', '))
  const sinks =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(|\sstyle="|\son[a-z]+="/
  assert.deepEqual(
    linesMatching(sinks, (file) => file === 'src/surfaces/web/html.ts'),
    [],
  )
  // A console page made again is parsed in one place.
  assert.deepEqual(
    linesMatching(
      /DOMParser|createHTML|createPolicy/,
      (file) => file === 'src/surfaces/staff/console.client.ts',
    ),
    [],
  )
})

test('"webhook" is a word of the wire only', () => {
  const isAllowed = (file: string) =>
    file.startsWith('sdk/') || /^src\/(domain|surfaces\/api)\/callbacks\//.test(file)
  assert.deepEqual(
    linesMatching(/webhook(?!s\b.*librar)/i, isAllowed).filter(
      (place) => !place.startsWith('src/surfaces/api/manual/'),
    ),
    [],
  )
})

test('no enum, decorator or namespace; no file named by kind; no barrel but the SDK’s', () => {
  assert.deepEqual(
    linesMatching(/^\s*(export\s+)?(const\s+)?(enum|namespace)\s|^\s*@\w+\(/, () => false),
    [],
  )
  const kinds = /(^|\/)(utils?|helpers?|common|misc|types|manager|service)\.ts$/
  const wrong = source.filter(
    (file) => kinds.test(file) || (file.endsWith('index.ts') && file !== 'sdk/index.ts'),
  )
  assert.deepEqual(wrong, [])
})

test('every refusal code is thrown somewhere and tested somewhere', () => {
  const thrown = source
    .filter((file) => file !== 'src/platform/refusals.ts')
    .map(read)
    .join('\n')
  const tested = tests
    .filter((file) => file !== 'test/architecture.test.ts')
    .map(read)
    .join('\n')
  const mentions = (text: string, code: string) => text.includes(`'${code}'`) || text.includes(`"${code}"`)
  const codes = Object.keys(refusals)
  assert.deepEqual(
    codes.filter((code) => !mentions(thrown, code)),
    [],
    'never thrown',
  )
  assert.deepEqual(
    codes.filter((code) => !mentions(tested, code)),
    [],
    'never tested',
  )
})

test('every package is pinned to one version, and the lockfile names no download address', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'))
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  assert.deepEqual(
    versions.filter(([, version]) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version))),
    [],
  )
  assert.doesNotMatch(read('package-lock.json'), /"resolved": "http/)
})

/** Released migrations never change: add a file, and its digest here. */
const released: Record<string, string> = {
  '0001-foundation.sql': 'ac273eb94eb7cb69e35de6b6cac4523e6161f458e727c43801410a66ff392920',
  '0002-merchants.sql': '2e12cc6024ec004496aae53d4ae9d2406f00106fc891d7b916c9b95c5a87a37a',
  '0003-requisites.sql': '189826e19aa4d65d87ec388ea0ee578c4a43151a85bfa15d6b998c03445a43bd',
  '0004-catalogue.sql': '6ff7f0bdd050b73d01fc2a4e8bb35dbf9b2a159d397888a02a86806b08d239b6',
  '0005-deposits.sql': '1700661cda40fe1b01ff6639fe21e344f06876504cef991f4e4d4ab685576ff1',
  '0006-lifecycle.sql': '6ca4c7738bfddb520f80b67da7f44adc823f882824962f3f26154928f567816e',
  '0007-callbacks.sql': 'a18f66988e5646303272c943a3d29cf359db4aa15ed0d18caaeede03b0a66ae1',
  '0008-payment-page.sql': '75a429db5a59f07b78555407e2a9f1253b04cc52ca2b4ec9995cb1469a762e8e',
  '0009-attempts-once.sql': '892a6661a2b40f8d77f5ddbb2b95f28fe62fd8e59dc2351deba55d21b35e1552',
  '0010-queue-order.sql': '7190dd87a68b55c871a97f292b809d959d99ddf643cd5e878be4cf0a1cfaaefc',
  '0011-transfers.sql': '296e41b46b9d502a8fcba2ff5da1ed020e2ff5362c766b03feb613490c53e923',
  '0012-rules.sql': 'f94a347e3e2964acf4b4a0fa5f57e3e95892287b5725bb85f6d6b7aaefc2f5c3',
  '0013-reports.sql': 'f1fc8656669e67f59feac2fbe0efb612c62a3cd59a9ac2e88533c73ab5e252ad',
  '0014-staged-text.sql': 'ab5904ea12882e0a01a739b28e53a4eb050ac4a27a9509302c72616fab51f554',
  '0015-tellings.sql': '26082c63f0855b1866f87904e0c0ebaa1586564209058ad58900129ef81f5f15',
  '0016-people.sql': 'b0ca7aff375f46585b92c3589114a6c2fa2fbecab65fa7c7f9933422e6e3a205',
  '0017-console.sql': '77fc2fbc636035cb8d9161ac7053784150755e5b517260a195e9f986b61ea0d1',
  '0018-desk.sql': 'bc65af8d3e4ceb4ddeea4eeb4588e079db506410a46e7c55546a27ea0aa646dc',
  '0019-return-addresses.sql': '922fc8f1b7fe2bace8a20e338457c8a95f6b2850163d35c28ee0b9c9fb9ef20f',
  '0020-limits-and-refunds.sql': '3a68b67dface2d7f8e38976615b59f3749218753ac84ba867b1c5b8bba171e10',
  '0021-saved-views.sql': '7c2d02d298b9ed33b3a49bcce19fb2701fef133e27f250fb7efef69c0efa6b1c',
  '0022-requisite-limits.sql': '9ba6a2dd52a797d6dfe07cb65c6cece9d8b7c4c82438c2a0fd0821c7a6898944',
  '0023-known-browsers.sql': 'aa7c16da66dd8cdacb13edadd150c8b3781b314b6824cff0b8f041c1e75b1aef',
  '0024-bank-entries.sql': 'd6e8b809fd09b9bc41898a1a9e55a38ba4a11c9721784a17db024baddb7a7c4c',
  '0025-undo-import.sql': '615949ece90f2143a5cc7e3d42c84694b83ff574edecf168fd873d88e93cb58a',
  '0026-source-accounts.sql': 'fdb5f980e46b133f2a7145db14e9c7e94b1b5d0194e0b80de245ee8f9486499e',
  '0027-invitations.sql': '4c897360b0a10867922be251814e7f23ef658669bb241c0a50d2b4da5c873cd5',
  '0028-sign-in-load.sql': '0142b415781a75c29efc7b729a6c0e8dfa4b7d5718b36c188d7435b48cca9878',
  '0029-guarded-approvals.sql': 'e94bb7e28c8784cbdebd514eb0cbcfbddaae2ee3a5e62f91d6a80ec61a6f1c83',
  '0030-demo-seals-signatures.sql': 'ba71a29c6b18e4c8d68e548aaf047ee340192d0523465dce933f0851934e3e7e',
  '0031-second-person-for-matches.sql': '26301eef6887052d5b18ac53dd19df73b1c9fcc1d43f07b2a0d59da7aa82ec61',
  '0032-quoted-references.sql': 'e8c95f8a65c3188231babb47c70573953399773bf9cbd3a7bd0e3ea6e0a5bfa2',
  '0033-rules-of-payment-by-two.sql': '959f2bcf2c2c23bbde899415706c75bb0715184d05eab1cb537731b8c45356e6',
  '0034-messages.sql': '3368dbc19a0abf03258bfa64599dafd6d38e00cb89deb9e72ca71cf3bc88f447',
  '0035-what-a-customer-has.sql': '21239ef51155b83d37cfb3377e325eedbb6b5fc1cb71fe51b293dd89de64b00e',
  '0036-callbacks-by-day.sql': 'c2ea9b50016c0f0174a7fdd765794adf8520204b4b2814e4c03f69fb2135709f',
  '0037-lanes-with-problems.sql': '950dee8b712d9d3a56fe8ac0b65bd2c2262195974df379a60380eade3266c438',
  '0038-who-gave-access.sql': '96093d5383b8bf55e0693b6de4da51cb197c74604f31e8173ef722322bc6bf71',
  '0039-creates-at-once.sql': 'a4e37d2f1830217e231f6dd9cce061a373811030d37e6c0e6d064f85ec9d6d16',
  '0040-disk-probe.sql': '866a1cd9398f0e8af212897caa35ff5767118508aa04f57ac25543884e7ad931',
  '0042-other-sources.sql': '027f366cff13614a4bb6aeddc913cbb7ab77a82106282e64314892968aa1f1d5',
  '0043-statement-uploads.sql': '8ef836b3a84f95ff29d84f40027c9f6d7cbc0b8c0bb703768c377a2d13503d3d',
  '0045-first-entry.sql': '0af23deeb164c2f62d36722f30713e57eac3a145a782ee1e5168ddc12792b400',
  '0046-one-customer-index.sql': '57e395011b4b4f71599f5f4f9bad64c471a3dc7e57243941d45259e7ee24b3ea',
  '0050-old-details.sql': '78641496fa052c20aaf52cc3c8f90f7788739a73975263632c4dd635719df4ee',
  '0051-old-details-checked.sql': 'c6637d337a1888cd649ff9c588ed278e404257f553917bb326a8ad9d2f6a8215',
  '0052-deposits-to-move.sql': '812f9b7e66dbe28b038fca6e33d493cdb86e68c842a72a2b1e08698744395d06',
  '0053-detail-archives.sql': '898a05f9967daf36f6c2b7d89bfa291c97b9018906cf764c7f752201531e128d',
  '0056-callbacks-are-never-changed.sql': '7c691a0b1ee226d762618807a0ceaf7b6d3756f11efb3392011f1130506eb437',
  '0063-transfers-by-state-alone.sql': 'adafcaeebd1e48530c666fbfdd2670bc518975ba7ffbf98220b9da2b294ba475',
  '0064-merchant-brands.sql': 'd683fd2e7e06b1ff2e80d6dbb6832fe832baeece0ec0285717be649a532a26d4',
  '0065-backups.sql': '05d7d1875ce0e0b161465b663ac65e9b2b81ad75f897d65e9f7b6226de2ea3d3',
  '0066-compatible-builds.sql': '7efee1ef5f531354d86e4b0165c3dbf3301466677b1d6b6176f9c798c7320507',
  '0067-confirmed-before-their-money.sql': '0a557f7b8caea1b503386ba9cd38b45f29d2c1089a05309cf5e6f4bec621d0fe',
  '0068-master-key-rotation.sql': '09bfcdbd809c833583ced222b3542dd4158783a1de61da9fe463c55ec4bd34ee',
  '0069-decided-without-a-name.sql': '2a21884e6cbf65fa8abaf706bc780a1ba8ea1f122ec1ae714e44bc4d72812c49',
  '0070-noted-before-their-money.sql': '4018ed7a7c235d0f6cfa4c157ecf8005b749d0b0d12f37c42df60392743583d1',
  '0071-decided-payments.sql': '0b06fcfcfa0f05dacdc469873775cf76ebc452545eb274000c24f8a3e2f577f7',
  '0072-payments-decided-before.sql': '71a47d5b60e7a55b168e4eb1b04b9a5bd175a67d3fcf802c38b08caff74d2e85',
  '0073-decided-payments-by-amount.sql': '26ce5c593c183ef143a0c6f6ad220d74b93e2d39a2384c088b2d53d0842d4ebd',
  '0078-backup-warnings.sql': 'd116c25436e933ea536947486263b8ffbc8d791dee374fc47c0c705c223b275d',
  '0080-secret-order-of-references.sql': '551b83fdc5cc8b54209299784416b97366bcb2b53781d7ec53f6f90a03882277',
  '0081-numbers-of-tables.sql': '9f8061e179d11ce0677ad932c2bfebd216dbdcbe45f582cb421ddfc60a3a0979',
  '0088-archive-file-names.sql': '283bdc73ad15005c54279dabe1bed5c09ed63229f30aad3c78846891b92df225',
  '0089-archive-file-names-checked.sql': 'c122ea3d0c6f160e8c2a987388020cfa7801480fe0aec211000f0297d77f4321',
  '0090-closed-before-their-money.sql': '0379cafc05e6e39cb66d47036940c18abd1f42516f1dc4ccc0ac7004c14869d5',
  '0091-reversed-before-their-money.sql': 'f65035163fc5aa14ed99eb714bbc7d25d76f64e396fa91d775b338471736cfb1',
  '0092-closed-deposits.sql': 'b07d55c765e4c302e7de8faa1c72faecd939025a4ba5f492cbf46a25f3ebfe5b',
  '0093-deposits-with-a-part.sql': '151b980eccc1de5dbcd4ebce00cefb6ffd90343522f1f3e868f124d1d90335ed',
  '0094-reports-of-one-payment.sql': 'fc2617ebf1a0b81c4d0a3fea4aac374df7aeb3599c9496ca7a3cab6cbf4e4f3b',
  '0095-ended-links.sql': 'fcbdf25a9c41b2d3148e6b892192c27d4317bf0f47fe2d2b3e194716aa5c2fb4',
  '0096-holding-callbacks.sql': '3466f4886ed51246b442600f588112803677efa4a682f7464703780012b0496c',
  '0097-admissions.sql': '70ac1cb55b91f1c6870b26a1c725549cec12951ebb8853865d7fa43a33d27874',
  '0098-deadlines-without-reviews.sql': '7137f171e7066a4b6c408b0d76343e6d171a07e4efcfbb0f39d9474e48bc3d1b',
  '0099-deadlines-of-merchants.sql': 'a6650c9dc01bb334d58656dc5eca7b7d1b2c3d592c5103f3f74a846953eac025',
  '0100-bounded-details.sql': 'd04fdcdb2c550d79e20252dc461392a0e9f7b0f3cdbfa6332989f5560981ee29',
  '0101-whole-accounts-of-payers.sql': 'fbd3f783ca2d0b583fcda3064a514a4dae572cf355943585d45b0c6c3ea861a5',
  '0102-small-chunks.sql': 'd5974f933318ce6fe25243f80a3abcef3e1a1f325781a1d1dbd86a23a2ff5070',
  '0103-sent-amounts.sql': '979cc1fad3ad65149f6fe412b726afb31ac7df2c8abc93ee657f6af252d05620',
  '0104-one-voice.sql': 'db577af3c7b07f8c9612c0ef3cfec5c269d7bc97e1fee1f9ca60225d5eb3cead',
  '0105-deposits-of-an-amount.sql': '4086c970a2f8a8316d060872943eb6f5f26521cc4a1144e2e6749c8b3e4d5566',
  '0106-old-details-of-shares.sql': '8b91a62caebea0e199aafe7cc205c3a5eb25ae098d628fbca8272d091c168d4b',
  '0107-forwarded.sql': '18c57dfe23da54075e08258fe4656370f829e1a71ca2e7a363c4cf608a19402d',
}

test('npm test runs every test file, each in one group', () => {
  const grouped = files('test/groups/*.ts').flatMap((group) =>
    [...read(group).matchAll(/'([^']+\.test\.ts)'/g)].flatMap(([, pattern]) => files(pattern!)),
  )
  assert.deepEqual(grouped.sort(), files('{src,sdk,test}/**/*.test.ts'))
})

test('released migrations are as they were released, and none is missing from the list', () => {
  assert.deepEqual(
    files('migrations/*.sql'),
    Object.keys(released).map((name) => `migrations/${name}`),
  )
  for (const [name, digest] of Object.entries(released)) {
    assert.equal(
      createHash('sha256')
        .update(read(`migrations/${name}`))
        .digest('hex'),
      digest,
      name,
    )
  }
})
