/** The styles and the script of the payment page. */
import { fileBeside, scriptAsset, payStyles as stylesOf } from '../web/assets.ts'

export const payStyles = stylesOf(fileBeside(import.meta.url, 'pay.css'))
export const payScript = scriptAsset('pay', fileBeside(import.meta.url, 'pay.client.ts'))
