/** The styles and the script of the payment page. */
import { fileBeside, pageStyles, scriptAsset } from '../web/assets.ts'

export const payStyles = pageStyles(fileBeside(import.meta.url, 'pay.css'))
export const payScript = scriptAsset('pay', fileBeside(import.meta.url, 'pay.client.ts'))
