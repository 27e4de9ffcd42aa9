/** The scripts of the merchant's console alone. */
import { fileBeside, scriptAsset } from '../web/assets.ts'

const own = (name: string) => fileBeside(import.meta.url, name)

/** The preview follows the rules of the payment page, so their files are part of its script. */
export const brandingScript = scriptAsset(
  'branding',
  ['../../domain/merchants/brand.ts', '../web/accent.ts', 'settings/branding.client.ts'].map(own).join('\n'),
)
