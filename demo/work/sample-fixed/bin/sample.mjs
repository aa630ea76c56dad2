#!/usr/bin/env node
import { sample } from '../src/sample.mjs';

process.stdout.write(sample());
