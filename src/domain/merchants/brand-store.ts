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
  m.accent, m.logo_digest as "logoDigest", m.logo_width as "logoWidth", m.logo_height as "logoHeight",
  m.logo_tone as "logoTone"`

export const brandFrom = ({ accent, logoDigest, logoWidth, logoHeight, logoTone }: BrandRow): Brand => ({
  accent,
  logo:
    logoDigest === null
      ? null
      : { digest: logoDigest, width: logoWidth!, height: logoHeight!, tone: logoTone! },
})

export const readBrand = async (db: Queryable, merchantId: MerchantId): Promise<Brand> =>
  brandFrom(await db.one<BrandRow>(sql`select ${brandColumns} from merchants m where m.id = ${merchantId}`))

export const writeAccent = (tx: Tx, merchantId: MerchantId, accent: string | null) =>
  tx.run(sql`update merchants set accent = ${accent} where id = ${merchantId}`)

export const writeLogo = (tx: Tx, merchantId: MerchantId, logo: Logo | null) =>
  tx.run(sql`
    update merchants
    set
      logo = ${logo?.png ?? null},
      logo_digest = ${logo?.digest ?? null},
      logo_width = ${logo?.width ?? null},
      logo_height = ${logo?.height ?? null},
      logo_tone = ${logo?.tone ?? null}
    where id = ${merchantId}`)

/** The logos with these digests, of any merchant: pages show them to everybody. */
export async function findLogos(
  db: Queryable,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.query<{ digest: string; logo: Buffer }>(sql`
    select logo_digest as digest, logo
    from merchants
    where logo_digest = any((select ${digests}::text[])::text[])`)
  return new Map(rows.map(({ digest, logo }) => [digest, logo]))
}
