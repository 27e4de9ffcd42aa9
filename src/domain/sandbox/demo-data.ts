/**
 * The first development start: one test-mode merchant, and requisites of every kind in all four currencies, so
 * that a newcomer can create a deposit at once. Every number is invented and passes its country's checks.
 */

import { type Db, within } from '../../platform/db.ts'
import type { Vault } from '../../platform/vault.ts'
import { changeBrand } from '../merchants/change-brand.ts'
import { createMerchant } from '../merchants/create-merchant.ts'
import { listMerchants } from '../merchants/store.ts'
import { type Currency, currencies } from '../money.ts'
import { addAccount, addRequisite } from '../requisites/add-requisite.ts'
import { luhnDigit } from '../requisites/luhn.ts'
import type { RequisiteDraft } from '../requisites/requisite.ts'
import { demoAccent, demoLogo } from './demo-brand.ts'
import { type Demo, writeDemo } from './demo-file.ts'
import { lockInstallation, markDemoAccounts, markDemoMerchant } from './store.ts'
import { updateDemoKeys } from './update-demo-keys.ts'

/** Each card serves one deposit per amount at a time: twenty equal amounts can be tried in each currency. */
const cardsPerCurrency = 20
const cardsOfBankX = 5

/** Longer than usual: another start may be seeding, and on a slow disk that takes a while. */
const timeouts = { statementMs: 60_000 }

/**
 * Seeds an empty installation; returns the demo merchant's credentials where there is one. In one transaction: a part
 * of it would keep later starts from seeding the rest.
 */
export const seedDemo = (
  { dataDir, publicUrl }: { dataDir: string; publicUrl: string },
  { db, vault }: { db: Db; vault: Vault },
): Promise<Demo | undefined> =>
  db.transaction(async (tx) => {
    const inTx = within(tx, db)
    await lockInstallation(tx)
    if ((await listMerchants(tx, { after: null, limit: 1 })).length > 0) {
      const demo = await updateDemoKeys(dataDir, { db: tx, vault }, publicUrl)
      if (demo) await markDemoMerchant(tx, demo.merchant)
      return demo
    }
    await addDemoRequisites(inTx)
    const created = await createMerchant(inTx, vault, {
      name: 'Demo shop',
      mode: 'test',
      callbackUrl: null,
    })
    await changeBrand(inTx, {
      merchantId: created.merchant.id,
      accent: demoAccent,
      logo: await demoLogo(),
    })
    await markDemoMerchant(tx, created.merchant.id)
    await markDemoAccounts(tx)
    const demo = {
      base_url: publicUrl,
      merchant: created.merchant.id,
      key_id: created.keyId,
      signing_secret: created.signingSecret,
      callback_secret: created.callbackSecret,
    }
    await writeDemo(dataDir, demo)
    return demo
  }, timeouts)

export const addDemoRequisites = (db: Db): Promise<void> =>
  db.transaction(async (tx) => {
    const inTx = within(tx, db)
    for (const currency of currencies) {
      for (let card = 1; card <= cardsPerCurrency; card++) {
        const bankX = card > cardsPerCurrency - cardsOfBankX
        await addDemo(inTx, currency, `${currency} card ${card}`, bankX ? 'bankx' : null, {
          kind: 'card',
          number: demoCard(currency, card),
          holder: 'INLET DEMO',
          bankName: bankX ? 'Bank X' : 'Test Bank',
        })
      }
      await addDemo(inTx, currency, `${currency} account`, null, demoAccounts[currency])
    }
    for (let phone = 1; phone <= 3; phone++) {
      await addDemo(inTx, 'RUB', `RUB phone ${phone}`, null, {
        kind: 'phone',
        number: `+7900000000${phone}`,
        holder: 'INLET DEMO',
        bankName: 'Test Bank',
      })
    }
  })

/** Each requisite settles on an account of its own. */
async function addDemo(
  db: Db,
  currency: Currency,
  label: string,
  bankCode: string | null,
  draft: Omit<RequisiteDraft, 'currency'>,
): Promise<void> {
  const { id } = await addAccount(db, {
    mode: 'test',
    currency,
    merchantId: null,
    label: `Demo ${label}`,
    ownerLegalName: 'ООО "Пример"',
    ownerPublicName: 'ООО "Пример"',
    ownerTaxId: '7700000009',
    ownerAgreement: 'Demo data, no agreement',
    addedBy: 'demo',
  })
  const limits = { minCents: null, maxCents: null, dailyCents: null, openDeposits: null }
  await addRequisite(db, { accountId: id, draft, bankCode, limits, confirmed: true })
}

/** A prefix of the country's own scheme, zeros, a counter and the Luhn digit. */
export function demoCard(currency: Currency, card: number): string {
  const prefix = { RUB: '2200', UZS: '8600', KZT: '4000', TJS: '5500' }[currency]
  const body = `${prefix}00000000${String(card).padStart(3, '0')}`
  return body + luhnDigit(body)
}

const demoAccounts: Record<Currency, Omit<RequisiteDraft, 'currency'>> = {
  RUB: {
    kind: 'account_ru',
    number: '40702810300000000042',
    holder: 'ООО "Пример"',
    bankName: 'Банк "Тест"',
    bic: '044525999',
    corrAccount: '30101810600000000999',
    taxId: '7700000009',
  },
  UZS: {
    kind: 'account_uz',
    number: '20208000100000001001',
    holder: 'ООО "Пример"',
    bankName: 'Банк "Тест"',
    bic: '00999',
    taxId: '300000000',
  },
  KZT: {
    kind: 'account_kz',
    number: 'KZ90999TEST000000001',
    holder: 'ТОО "Пример"',
    bankName: 'Банк "Тест"',
    bic: 'TESTKZKA',
    taxId: '000140000018',
    kbe: '17',
    knp: '859',
  },
  TJS: {
    kind: 'account_tj',
    number: '20206972000000000001',
    holder: 'ООО "Пример"',
    bankName: 'Банк "Тест"',
    bic: '350101999',
  },
}
