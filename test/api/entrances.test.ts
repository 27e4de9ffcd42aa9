/** The ways in, and what somebody sees who came another way: a browser a page in its language, a program problem+json. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { call, createPath, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, PersonsBrowser } from '../support/person.ts'

let development: TestGateway
let production: TestGateway
before(async () => {
  development = await startGateway()
  const environment = { NODE_ENV: 'production', INLET_PUBLIC_URL: 'https://pay.example' }
  production = await startGateway({ demo: false, environment })
})

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const open = (path: string, language = 'en', { url } = development) =>
  call(url, path, { redirect: 'manual', headers: { accept, 'accept-language': language } })

const linksIn = (page: string) => [...page.matchAll(/<a class="way" href="([^"]+)"/g)].map(([, href]) => href)

test('the front page leads to console, desk and reference; in production to the sign-in and the reference alone', async () => {
  const { status, headers, body } = await open('/')
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.deepEqual(linksIn(body), ['/console', '/operator', '/docs'])
  assert.match((await open('/', 'ru')).body, /<html lang="ru">[\s\S]*Рабочее место оператора/)
  assert.deepEqual(linksIn((await open('/', 'en', production)).body), ['/sign-in', '/docs'])
})

test('a process shows the ways that it has itself', async () => {
  const api = await startGateway({ beside: development, environment: { INLET_ROLES: 'api' } })
  assert.deepEqual(linksIn((await open('/', 'en', api)).body), ['/docs'])
})

test('/console redirects to the sign-in, and signed-in people to their console', async () => {
  const stranger = new PersonsBrowser(development)
  assert.equal((await stranger.get('/console')).location, '/sign-in?to=%2Fconsole')
  const { browser } = await joined(development, { operatorRole: 'auditor' })
  assert.equal((await browser.get('/console')).location, '/home')
})

test('an address with a slash at its end is another one, and leads nowhere', async () => {
  for (const path of ['//', '//example.com/', '/docs/', '/sign-in/', '/api/v1/requests/limit/']) {
    const { status, headers } = await open(path)
    assert.deepEqual([status, headers.get('location')], [404, null], path)
  }
})

for (const [path, status, en, ru] of [
  ['/nowhere', 404, 'Page not found', 'Страница не найдена'],
  ['/operator/nowhere', 404, 'Page not found', 'Страница не найдена'],
  ['/api/v1/nowhere', 404, 'Page not found', 'Страница не найдена'],
  ['/%zz', 404, 'Page not found', 'Страница не найдена'],
  ['/assets/nothing.js', 404, 'Page not found', 'Страница не найдена'],
  ['/docs/screenshots/nothing.png', 404, 'Page not found', 'Страница не найдена'],
  [createPath, 405, 'This address is part of the API', 'Это адрес API'],
  ['/api/v1/events', 401, 'This address is part of the API', 'Это адрес API'],
  [
    '/api/v1/requests/limit?currency=RUB&currency=RUB',
    400,
    'This address is part of the API',
    'Это адрес API',
  ],
  ['/sign-out', 405, 'This page cannot be opened directly', 'Эту страницу нельзя открыть напрямую'],
] as const) {
  test(`a browser that asks for ${path} gets a page in its language, a program problem+json: ${status}`, async () => {
    for (const [language, title] of [
      ['en-GB,en;q=0.9', en],
      ['ru-RU,ru;q=0.9,en;q=0.8', ru],
    ] as const) {
      const page = await open(path, language)
      assert.deepEqual([page.status, page.headers.get('content-type')], [status, 'text/html; charset=utf-8'])
      assert.ok(page.body.includes(`<h1>${title}</h1>`), page.body)
      assert.deepEqual(linksIn(page.body), ['/console', '/operator', '/docs'])
      assert.ok(page.body.includes(page.headers.get('request-id')!))
      assert.ok(page.headers.get('content-security-policy')!.includes('style-src'))
    }
    for (const headers of [{}, { accept: 'application/json' }, { accept: '*/*' }] as Record<
      string,
      string
    >[]) {
      const problem = await call(development.url, path, { headers })
      assert.equal(problem.headers.get('content-type'), 'application/problem+json; charset=utf-8')
      assert.deepEqual([problem.status, problem.body.status], [status, status])
    }
  })
}

test('a customer who opens a bill or a page that is not there reads it in one of the five languages', async () => {
  const token = 'A'.repeat(22)
  for (const path of [`/bill/${token}.png`, `/pay/${token}`, `/pay/${token}/nowhere`]) {
    const { status, headers, body } = await open(path, 'uz')
    assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=utf-8'], path)
    assert.match(body, /<html lang="uz">/, path)
  }
  const picture = await call(development.url, `/bill/${token}.png`, {
    headers: { accept: 'image/avif,image/webp,*/*' },
  })
  assert.equal(picture.headers.get('content-type'), 'application/problem+json; charset=utf-8')
})

test('a browser over the rate limit gets a page', async () => {
  const narrow = await startGateway({ beside: development, environment: { INLET_ROLES: 'api' } })
  // One after another they could be slower than the limit allows again.
  const together = () => Promise.all(Array.from({ length: 100 }, () => open('/nowhere', 'en', narrow)))
  let answer = await open('/nowhere', 'en', narrow)
  for (let rounds = 0; answer.status !== 429 && rounds < 50; rounds++)
    answer = (await together()).find(({ status }) => status === 429) ?? answer
  assert.equal(answer.status, 429)
  assert.match(answer.body, /<h1>Too many requests<\/h1>/)
  assert.ok(answer.headers.get('retry-after'))
})
