/**
 * The first day of a merchant's owner and of an operator, starting with their invitations, in a real browser: a passkey, an
 * address, a paid deposit, its callback, a new key; codes of an app, a bank's file, an unclear payment, a second
 * person's approval. Every page on the way fits and breaks no policy; `npm run test:browser` runs both on a phone and at a
 * desk, and checks every page with axe.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { claimPayment } from '../../src/domain/deposits/change-deposit.ts'
import { readTimeline } from '../../src/domain/deposits/read-store.ts'
import { depositContextOf, forgetMoneyIn, today } from '../support/bank.ts'
import { atEnd } from '../support/clean-up.ts'
import {
  desk,
  faultsOf,
  follow,
  isWhole,
  type Look,
  opened,
  phone,
  press,
  settings,
  visit,
} from '../support/console-visits.ts'
import { openShop, type Shop, shopOf, startGateway, type TestGateway } from '../support/gateway.ts'
import { codeNow, fromBase32, invited, joined, password } from '../support/person.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

let gateway: TestGateway
let shop: Shop
let receiver: Receiver
before(async () => {
  gateway = await startGateway().finally(() => {
    if (opened) atEnd(opened.close)
  })
  receiver = await startReceiver()
  shop = await openShop(gateway)
})

/** Checks that the current page fits and breaks no policy. */
async function checkPage(page: Page): Promise<void> {
  assert.deepEqual(await faultsOf(page, { withAxe: isWhole }), [])
}

async function join(page: Page, token: string): Promise<void> {
  await page.goto(`${gateway.url}/join/${token}`)
  await checkPage(page)
  await page.getByLabel('New password').fill(password)
  await press(page, 'Continue')
}

/** Adds a device that verifies its user, like a phone or a laptop. */
async function addDevice(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

const walkMerchant = (name: string, look: Look, place: number) =>
  test(
    `a merchant’s owner, ${name}: invitation, passkey, address, paid deposit, callback, replay, key`,
    settings,
    async () => {
      const { token } = await invited(gateway, { merchantId: shop.merchant, role: 'owner' })
      await visit(gateway, look, async (page, context) => {
        await addDevice(context, page)
        await join(page, token)
        await page.goto(`${gateway.url}/sign-in/set-up`)
        await checkPage(page)
        await press(page, 'Add a passkey')
        // Recovery codes come with the first passkey, because the device may be lost.
        await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
        assert.equal(await page.locator('main li').count(), 10)
        await checkPage(page)
        await follow(page, 'I saved them')
        await page.waitForURL(`**/console/${shop.merchant}/overview`)
        await page.goto(`${gateway.url}/account`)
        await checkPage(page)
        // On a phone the sections and the sign-out button are in a menu.
        const menu = page.locator('.menu > summary')
        assert.equal(await menu.isVisible(), look.viewport!.width < 1024)
        if (await menu.isVisible()) await menu.click()
        await page.getByRole('button', { name: 'Sign out', exact: true }).last().click()
        await page.waitForURL('**/sign-in')
        await checkPage(page)
        // A malicious link: browsers read this address as one of another host.
        await page.goto(`${gateway.url}/sign-in?to=${encodeURIComponent('/\\shop.example/')}`)
        await press(page, 'Sign in with a passkey')
        await page.waitForURL(`**/console/${shop.merchant}/overview`)

        const hook = `/day-${place}`
        await page.goto(`${gateway.url}/console/${shop.merchant}/settings/callback`)
        await page.getByLabel('Callback URL').fill(receiver.url(hook))
        await press(page, 'Change the callback URL')
        await page.getByText('Callback URL saved.').waitFor()
        const order_id = `DAY-${place}`
        const { body } = await shop.create({ order_id, cents: 260_000 + place })
        await page.goto(`${gateway.url}/console/${shop.merchant}/bank`)
        await page.getByLabel('Deposit ID or order ID').fill(order_id)
        await press(page, 'Run scenario')
        await page.waitForURL(`**/deposits/${body.id}**`)
        await checkPage(page)
        await page.getByRole('link', { name: /^deposit\.confirmed/ }).click()
        await page.getByText('200').first().waitFor()
        await checkPage(page)
        await press(page, 'Send again')
        await page.getByText('Sending again.').waitFor()
        for (let tries = 0; receiver.of(hook).length < 2 && tries < 1_200; tries++)
          await page.waitForTimeout(50)
        assert.deepEqual(
          receiver.of(hook).map((callback) => callback.sequence),
          [receiver.of(hook)[0]!.sequence, receiver.of(hook)[0]!.sequence],
        )

        await page.goto(`${gateway.url}/console/${shop.merchant}/keys/rotate`)
        await press(page, 'Create new key')
        const secret = (await page
          .getByText(/^sk_test_/)
          .first()
          .textContent())!.trim()
        await checkPage(page)
        const renewed = shopOf(gateway, shop.merchant, shop.keyId, secret)
        assert.equal((await shop.create()).status, 201, 'the old key still signs')
        assert.equal((await renewed.create()).status, 201, 'and so does the new one')
      })
    },
  )

/** A bank's file: one payment without a reference, whose amount two open deposits have. */
function unclearStatement(cents: number): Buffer {
  const [year, month, day] = today().split('-')
  const account = '40702810300000000042'
  return Buffer.from(
    [
      '1CClientBankExchange',
      'ВерсияФормата=1.03',
      'Кодировка=Windows',
      `РасчСчет=${account}`,
      'СекцияРасчСчет',
      `ДатаНачала=${day}.${month}.${year}`,
      `ДатаКонца=${day}.${month}.${year}`,
      `РасчСчет=${account}`,
      `ВсегоПоступило=${(cents / 100).toFixed(2)}`,
      'КонецРасчСчет',
      'СекцияДокумент=Платежное поручение',
      'Номер=1',
      `Дата=${day}.${month}.${year}`,
      `Сумма=${(cents / 100).toFixed(2)}`,
      'ПлательщикСчет=40817810000000000001',
      'Плательщик1=Иванов Иван',
      `ПолучательСчет=${account}`,
      `ДатаПоступило=${day}.${month}.${year}`,
      'НазначениеПлатежа=Перевод',
      'КонецДокумента',
      'КонецФайла',
    ].join('\r\n'),
  )
}

const walkOperator = (name: string, look: Look, place: number) =>
  test(
    `an operator, ${name}: invitation, codes, a file, an unclear payment by keyboard, a second person`,
    settings,
    async () => {
      await forgetMoneyIn(gateway)
      const cents = 7_770_000 + place * 100
      const order = { payment_type: 'account_number', cents }
      const [first, second] = [(await shop.create(order)).body.id, (await shop.create(order)).body.id]
      const claimed = (await shop.create({ cents: 280_000 + place })).body.id as string
      await claimPayment(depositContextOf(gateway), { depositId: claimed, actor: 'customer' })
      const { token } = await invited(gateway, { operatorRole: 'operator' })
      await visit(gateway, look, async (page) => {
        await join(page, token)
        await page.waitForURL('**/sign-in/set-up**')
        const secret = fromBase32((await page.locator('p[translate=no]').textContent())!.trim())
        await page.getByRole('textbox', { name: 'Code' }).fill(await codeNow(gateway, secret))
        await press(page, 'Turn on')
        await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
        await checkPage(page)
        await follow(page, 'I saved them')
        await page.waitForURL('**/operator/overview')
        await checkPage(page)

        await page.goto(`${gateway.url}/operator/statements/upload`)
        await page.getByLabel('Mode').selectOption('test')
        await page
          .locator('#file')
          .setInputFiles({ name: 'bank.txt', mimeType: 'text/plain', buffer: unclearStatement(cents) })
        await press(page, 'Check file')
        await page.getByRole('button', { name: 'Import' }).waitFor()
        await checkPage(page)
        await press(page, 'Import')
        await page.getByRole('heading', { name: 'Import result' }).waitFor()

        await page.goto(`${gateway.url}/operator?kind=ambiguous`)
        await Promise.all([page.waitForURL('**/operator/queue/transfers/*'), page.keyboard.press('n')])
        await checkPage(page)
        const card = page.locator('form', { has: page.locator(`input[value="${second}"]`) })
        await card.getByLabel('Reason').fill('The customer sent the receipt')
        await Promise.all([
          page.waitForURL('**done=match'),
          card.getByRole('button', { name: 'Match' }).click(),
        ])

        await page.goto(`${gateway.url}/operator/deposits/${claimed}`)
        await page.locator('#confirm-reason').fill('Seen in the bank’s app')
        await page.locator('form').getByRole('button', { name: 'Confirm', exact: true }).click()
        await page.waitForURL('**done=proposed')
      })
      const stateOf = async (id: string) => (await readTimeline(gateway.db, id))!.deposit.state
      assert.deepEqual(await Promise.all([first, second, claimed].map(stateOf)), [
        'created',
        'confirmed',
        'created',
      ])
      const approver = await joined(gateway, { operatorRole: 'approver' })
      await visit(gateway, { ...look, cookie: approver.browser.cookie }, async (page) => {
        await page.goto(`${gateway.url}/operator/approvals`)
        await checkPage(page)
        await page.locator('main table a').first().click()
        await page.waitForURL('**/operator/approvals/*')
        await checkPage(page)
        await page.locator('#approve-reason').fill('I see it too')
        await page.getByRole('button', { name: /^Approve/ }).click()
        await page.getByText('Approved.', { exact: true }).waitFor()
      })
      assert.equal(await stateOf(claimed), 'confirmed')
    },
  )

for (const [place, [name, look]] of Object.entries({ 'on a phone': phone, 'at a desk': desk }).entries()) {
  if (isWhole || place === 0) walkMerchant(name, look, place)
  if (isWhole || place === 1) walkOperator(name, look, place)
}
