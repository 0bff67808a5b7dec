import { says } from '../reply/reply.ts';
import type { Brain } from './brain.ts';
export const demoBrain: Brain = () => says('demo');
