-- How a merchant's payment page looks: a colour and a logo. Apart from `merchants`, whose rows every signed request reads.
-- `logo` is the picture as we drew it anew from its pixels, never the bytes that somebody sent.
create table merchant_brands (
  merchant_id uuid constraint merchant_brand_merchant primary key references merchants (id),
  accent text constraint merchant_brand_accent check (accent ~ '^#[0-9a-f]{6}$'),
  logo bytea constraint merchant_brand_logo check (octet_length(logo) <= 65536),
  logo_digest text constraint merchant_brand_digest check (logo_digest ~ '^[A-Za-z0-9_-]{22}$'),
  logo_width integer constraint merchant_brand_width check (logo_width between 1 and 512),
  logo_height integer constraint merchant_brand_height check (logo_height between 1 and 512),
  logo_tone text constraint merchant_brand_tone check (logo_tone in ('any', 'dark', 'light')),
  constraint merchant_brand_whole_logo
    check (num_nulls(logo, logo_digest, logo_width, logo_height, logo_tone) in (0, 5))
);
-- Pages name a logo by its digest. Two merchants may have the same one.
create index merchant_brands_by_digest on merchant_brands (logo_digest);
grant select, insert, update on merchant_brands to inlet_runtime;
