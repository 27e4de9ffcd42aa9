/** Brands of merchants in the database. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Brand, LogoTone } from './brand.ts'
import type { Logo } from './logo.ts'
import type { MerchantId } from './merchant.ts'

/** The columns of a brand, all null where a merchant has none. */
export type BrandRow = {
  accent: string | null
  logoDigest: string | null
  logoWidth: number | null
  logoHeight: number | null
  logoTone: LogoTone | null
}

export const brandColumns = fragment`
  b.accent, b.logo_digest as "logoDigest", b.logo_width as "logoWidth", b.logo_height as "logoHeight",
  b.logo_tone as "logoTone"`

export const brandFrom = ({ accent, logoDigest, logoWidth, logoHeight, logoTone }: BrandRow): Brand => ({
  accent,
  logo:
    logoDigest === null
      ? null
      : { digest: logoDigest, width: logoWidth!, height: logoHeight!, tone: logoTone! },
})

export async function readBrand(db: Queryable, merchantId: MerchantId): Promise<Brand> {
  const [row] = await db.query<BrandRow>(sql`
    select ${brandColumns}
    from merchant_brands b
    where b.merchant_id = ${merchantId}`)
  return row ? brandFrom(row) : { accent: null, logo: null }
}

export const writeAccent = (tx: Tx, merchantId: MerchantId, accent: string | null) =>
  tx.run(sql`
    insert into merchant_brands (merchant_id, accent)
    values (${merchantId}, ${accent})
    on conflict (merchant_id) do update
    set accent = excluded.accent`)

export const writeLogo = (tx: Tx, merchantId: MerchantId, logo: Logo | null) =>
  tx.run(sql`
    insert into merchant_brands (merchant_id, logo, logo_digest, logo_width, logo_height, logo_tone)
    values (
      ${merchantId}, ${logo?.png ?? null}, ${logo?.digest ?? null}, ${logo?.width ?? null}, ${logo?.height ?? null},
      ${logo?.tone ?? null})
    on conflict (merchant_id) do update
    set
      logo = excluded.logo,
      logo_digest = excluded.logo_digest,
      logo_width = excluded.logo_width,
      logo_height = excluded.logo_height,
      logo_tone = excluded.logo_tone`)

/** The logos with these digests, of any merchant: pages show them to everybody. */
export async function findLogos(
  db: Queryable,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.query<{ digest: string; logo: Buffer }>(sql`
    select logo_digest as digest, logo
    from merchant_brands
    where logo_digest = any((select ${digests}::text[])::text[])`)
  return new Map(rows.map(({ digest, logo }) => [digest, logo]))
}
