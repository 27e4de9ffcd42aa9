/** A merchant changes how its payment page looks. Fields that are left out do not change. */
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import { message } from '../messages/message.ts'
import type { Brand } from './brand.ts'
import { readBrand, writeAccent, writeLogo } from './brand-store.ts'
import type { Logo } from './logo.ts'
import type { MerchantId } from './merchant.ts'
import { lockMerchant } from './store.ts'

type ChangeBrand = { merchantId: MerchantId; accent?: string | null; logo?: Logo | null }
type ChangedBrand = { before: Brand; after: Brand }

export const changeBrand = (
  db: Db,
  { merchantId, accent, logo }: ChangeBrand,
  hooks?: Hooks<ChangedBrand>,
): Promise<ChangedBrand> =>
  perform(db, hooks, async (tx) => {
    if (!(await lockMerchant(tx, merchantId)))
      throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
    const before = await readBrand(tx, merchantId)
    if (accent !== undefined) await writeAccent(tx, merchantId, accent)
    if (logo !== undefined) await writeLogo(tx, merchantId, logo)
    return { before, after: await readBrand(tx, merchantId) }
  })
